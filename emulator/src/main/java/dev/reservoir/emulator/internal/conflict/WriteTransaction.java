package dev.reservoir.emulator.internal.conflict;

import dev.reservoir.emulator.internal.sql.Statement;
import dev.reservoir.emulator.internal.wire.Problem;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * A transaction begun by BEGIN that has changed or locked rows. In DSQL nobody waits for a lock, and the first to commit wins.
 * PostgreSQL knows only one way to write a row that another transaction has written: to wait, and to fail if the other commits. So
 * here a transaction's changes are in one of three places:
 *
 * <ul>
 *   <li>On the server, as always. Everything since the first change stands behind a savepoint.
 *   <li>On {@linkplain PrivateCopies private copies}: a statement would have had to wait, or met a row that was changed since the snapshot. The
 *       transaction is rolled back to the savepoint, which frees all its locks and keeps its snapshot. What it had done is done again on copies of
 *       the tables, and so is all that follows.
 *   <li>Nowhere: somebody who commits was held up by its locks, and it was rolled back to the savepoint. What it had done is done again
 *       when its client goes on.
 * </ul>
 *
 * <p>Its COMMIT does everything once more on the server, unless it is there. If that fails or gives other answers than before, or if the
 * transaction {@linkplain Contender#isDoomed() is doomed}, the COMMIT is refused. Those whose locks are in the way of a COMMIT are
 * moved away: the first to commit wins.
 *
 * <p>Used on the session's event loop alone. Never blocks.
 */
public final class WriteTransaction {
    public static final Problem CONFLICT = Problem.error("40001", "change conflicts with another transaction (OC000)");

    private static final String BACK = "ROLLBACK TO SAVEPOINT " + Injected.SAVEPOINT;

    private enum Place {
        SERVER,
        COPIES,
        NOWHERE
    }

    private final OwnStatements own;
    private final PrivateCopies copies;
    private final StatementLog log = new StatementLog();
    private final Contender contender = new Contender();
    private Place place = Place.SERVER;
    private boolean committing;

    public WriteTransaction(OwnStatements own) {
        this.own = own;
        copies = new PrivateCopies(own);
    }

    public Contender contender() {
        return contender;
    }

    public StatementLog log() {
        return log;
    }

    public boolean isOnServer() {
        return place == Place.SERVER;
    }

    /** Whether its COMMIT is under way; from then on it gives way to nobody. */
    public boolean isCommitting() {
        return committing;
    }

    public void commits() {
        committing = true;
    }

    /** Frees its locks. What it has done is done again when that is needed. */
    public void leaveServer(Runnable then) {
        place = Place.NOWHERE;
        copies.forget();
        if (!log.isComplete()) {
            contender.doom();
        }
        own.run(BACK, result -> then.run());
    }

    /** Leaves nothing of it on the server but the transaction itself, without a savepoint, so that an error frees all of its locks. */
    public void abandon(Runnable then) {
        leaveServer(() -> own.run("RELEASE SAVEPOINT " + Injected.SAVEPOINT, result -> then.run()));
    }

    /** A statement has failed on the server because of another transaction: finds the words in which it can be repeated, null if it cannot. */
    public void evade(Call call, boolean overtaken, Consumer<@Nullable String> then) {
        if (overtaken) {
            contender.doom();
        }
        own.recover(() -> leaveServer(() -> toCopies(call, then)));
    }

    /** Makes what it has done visible to the next statement: finds the words in which that can be carried out, null if it cannot. */
    public void restore(Call call, Consumer<@Nullable String> then) {
        if (place == Place.COPIES && meansTables(call)) {
            leaveServer(() -> then.accept(null));
        } else if (place == Place.COPIES) {
            copies.cover(List.of(call.sql()), covered -> {
                if (covered) {
                    then.accept(copies.onCopies(call.sql()));
                } else {
                    leaveServer(() -> then.accept(null));
                }
            });
        } else if (contender.isDoomed()) {
            toCopies(call, then);
        } else {
            repeat(0, UnaryOperator.identity(), problem -> {
                if (problem == null) {
                    place = Place.SERVER;
                    then.accept(call.sql());
                } else {
                    if (!isWait(problem)) {
                        contender.doom();
                    }
                    leaveServer(() -> toCopies(call, then));
                }
            });
        }
    }

    /** Does everything once more on the server before its COMMIT. Says whether that could be done. */
    public void prepareCommit(Consumer<Boolean> then) {
        leaveServer(() -> {
            if (contender.isDoomed()) {
                then.accept(false);
            } else {
                repeat(0, UnaryOperator.identity(), problem -> then.accept(problem == null));
            }
        });
    }

    private void toCopies(Call call, Consumer<@Nullable String> then) {
        List<String> statements = new ArrayList<>();
        boolean possible = log.isComplete() && !meansTables(call);
        for (int i = 0; i < log.size(); i++) {
            possible &= !meansTables(log.get(i).call());
            statements.add(log.get(i).call().sql());
        }
        if (!possible) {
            then.accept(null);
            return;
        }
        statements.add(call.sql());
        copies.cover(statements, covered -> {
            if (!covered) {
                leaveServer(() -> then.accept(null));
                return;
            }
            repeat(0, copies::onCopies, problem -> {
                if (problem == null) {
                    place = Place.COPIES;
                    then.accept(copies.onCopies(call.sql()));
                } else {
                    leaveServer(() -> then.accept(null));
                }
            });
        });
    }

    /** Whether a statement means the tables themselves, wherever copies are: PREPARE has bound them. */
    private static boolean meansTables(Call call) {
        return call.kind() == Statement.Kind.EXECUTE;
    }

    /** Repeats everything from a statement on; says what was different. */
    private void repeat(int from, UnaryOperator<String> words, Consumer<@Nullable Problem> then) {
        if (from == log.size()) {
            then.accept(null);
            return;
        }
        StatementLog.Entry entry = log.get(from);
        own.repeat(words.apply(entry.call().sql()), entry.call(), result -> {
            if (result.problem() != null) {
                then.accept(result.problem());
            } else if (result.digest() != entry.digest()) {
                then.accept(CONFLICT);
            } else {
                repeat(from + 1, words, then);
            }
        });
    }

    /** Whether an error says no more than that a lock is held by another. */
    static boolean isWait(Problem problem) {
        return switch (problem.code()) {
            case "57014", "55P03", "40P01" -> true;
            default -> false;
        };
    }
}
