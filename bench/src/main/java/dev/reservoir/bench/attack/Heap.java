package dev.reservoir.bench.attack;

import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The process runs out of memory several times while threads acquire and release connections. */
final class Heap implements AttackPart.Attack {

    private static final int THREADS = 16;
    private static final int ROUNDS_MAX = 10;

    /** Number of failures after which the attack ends. By then it has hit every piece of code that it hits often. */
    private static final int ENOUGH = 100;

    private static final Duration HELD = Duration.ofSeconds(3);
    private static final int BIG = 16_384;
    private static final int SMALL = 1;

    /**
     * Blocks of memory. The first element of each block is the previous block, so that the list needs no further
     * memory.
     */
    private static volatile Object @Nullable [] taken;

    @Override
    public void run(Verdict verdict) throws Exception {
        Child.run(verdict, List.of(), Heap.class, List.of("-Xmx48m", "-XX:+UseSerialGC"));
    }

    /** The child. Takes the server's port. */
    public static void main(String[] args) throws Exception {
        AttackedPool attacked = new AttackedPool("heap", Integer.parseInt(args[0]), THREADS);
        Checkouts checkouts = attacked.checkouts;
        for (int i = 0; i < ROUNDS_MAX && checkouts.failed.sum() < ENOUGH; i++) {
            exhaust();
            Thread.sleep(500);
        }
        long failed = checkouts.failed.sum();
        Child.report(failed > 0, failed + " requests failed because memory or their time ran out");
        attacked.reportServedAgain();
        int hanging = attacked.stop();
        Child.report(hanging == 0, hanging + " checkouts hang");
        Child.report(checkouts.wrong.sum() == 0, checkouts.wrong.sum() + " answers belonged to another request");
        attacked.reportCounts();
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
