package dev.reservoir.bench.attack;

import dev.reservoir.bench.Quiet;
import dev.reservoir.jdbc.ReservoirDataSource;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** The child of {@link Heap}. */
final class HeapProcess {

    private static final String APPLICATION = "heap";
    private static final int SIZE = 10;
    private static final int ROUNDS_MOST = 10;

    /** Number of failures after which the attack ends. By then it has hit every piece of code that it hits often. */
    private static final int ENOUGH = 100;

    private static final Duration ACQUIRE = Duration.ofSeconds(2);
    private static final Duration HELD = Duration.ofSeconds(3);
    private static final Duration PATIENCE = Duration.ofSeconds(20);
    private static final int BIG = 16_384;
    private static final int SMALL = 1;

    /**
     * Blocks of memory. The first element of each block is the previous block, so that the list needs no further
     * memory.
     */
    private static volatile Object @Nullable [] taken;

    private HeapProcess() {}

    /** Takes the server's port. */
    public static void main(String[] args) throws Exception {
        Quiet.logs();
        int port = Integer.parseInt(args[0]);
        ReservoirDataSource pool = ReservoirDataSource.builder()
                .name(APPLICATION)
                .url(Child.url(APPLICATION, port))
                .maxOpen(SIZE)
                .acquireTimeout(ACQUIRE)
                .build();
        SessionCounts books = new SessionCounts(pool, Child.url("admin", port), APPLICATION);
        Verdict before = new Verdict("before");
        books.checkIdle(before, SIZE);
        Child.say(before.holds(), "the pool was full before");
        Checkouts checkouts = new Checkouts(pool, true);
        checkouts.start(16);
        for (int i = 0; i < ROUNDS_MOST && checkouts.failed.sum() < ENOUGH; i++) {
            exhaust();
            Thread.sleep(500);
        }
        long failed = checkouts.failed.sum();
        Child.say(failed > 0, failed + " requests met the end of memory or of their time");
        boolean served = Checkouts.awaitMore(checkouts.served, PATIENCE);
        Child.say(served, served ? "served again" : "not served within 20 s");
        int hanging = checkouts.stop(ACQUIRE.multipliedBy(3));
        Child.say(hanging == 0, hanging + " checkouts hang");
        Child.say(checkouts.wrong.sum() == 0, checkouts.wrong.sum() + " answers belonged to another request");
        Verdict after = new Verdict("after");
        books.checkIdle(after, SIZE);
        Child.say(after.holds(), after.line());
        Child.done();
        System.exit(0);
    }

    /**
     * Takes memory until none is left, in ever smaller pieces, and repeats this for some time. Then frees all of it.
     */
    private static void exhaust() {
        long beganNanos = System.nanoTime();
        int size = BIG;
        while (System.nanoTime() - beganNanos < HELD.toNanos()) {
            try {
                Object[] block = new Object[size];
                block[0] = taken;
                taken = block;
            } catch (OutOfMemoryError e) {
                size = size == SMALL ? BIG : size / 2;
            }
        }
        taken = null;
    }
}
