package dev.reservoir.emulator.internal.conflict;

import dev.reservoir.emulator.internal.sql.Statement;
import dev.reservoir.pgwire.PgError;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * A transaction that BEGIN started and that has changed or locked rows. In DSQL no transaction waits for a lock, and
 * the first one to commit wins. PostgreSQL has only one way to write a row that another transaction has written: to
 * wait, and to fail if the other commits. So the changes of a transaction are in one of three places:
 *
 * <ul>
 *   <li>On the server, as usual. A savepoint precedes the first change.
 *   <li>On {@linkplain PrivateCopies private copies}, after a statement had to wait or met a row that was changed since
 *       the snapshot. The transaction is rolled back to the savepoint, which frees all its locks and keeps its
 *       snapshot. Its earlier statements run again on copies of the tables, and so do all later ones.
 *   <li>Nowhere, after its locks blocked another transaction's COMMIT and it was rolled back to the savepoint. Its
 *       statements run again when its client goes on.
 * </ul>
 *
 * <p>COMMIT runs all statements again on the server, unless the changes are there. The COMMIT is refused if that fails,
 * if an answer differs, or if the transaction {@linkplain Contender#isDoomed() is doomed}. A COMMIT moves the
 * transactions away whose locks block it, because the first one to commit wins.
 *
 * <p>Used only on the session's event loop. Never blocks.
 */
public final class WriteTransaction {
    public static final PgError CONFLICT = PgError.error("40001", "change conflicts with another transaction (OC000)");

    private static final String BACK = "ROLLBACK TO SAVEPOINT " + Injected.SAVEPOINT;

    private enum Place {
        SERVER,
        COPIES,
        NOWHERE
    }

    private final OwnStatements own;
    private final PrivateCopies copies;
    /** Its statements, so that they can be repeated. */
    public final StatementLog log = new StatementLog();

    public final Contender contender = new Contender();
    private Place place = Place.SERVER;
    private boolean committing;

    public WriteTransaction(OwnStatements own) {
        this.own = own;
        copies = new PrivateCopies(own);
    }

    public boolean isOnServer() {
        return place == Place.SERVER;
    }

    /** Whether its COMMIT has begun. From then on it does not step aside for another transaction. */
    public boolean isCommitting() {
        return committing;
    }

    public void commits() {
        committing = true;
    }

    /** Frees its locks. Its statements run again when their effect is needed. */
    public void leaveServer(Runnable then) {
        place = Place.NOWHERE;
        copies.forget();
        if (!log.isComplete()) {
            contender.doom();
        }
        own.run(BACK, result -> then.run());
    }

    /**
     * Leaves only the transaction itself on the server, without a savepoint, so that an error frees all of its locks.
     */
    public void abandon(Runnable then) {
        leaveServer(() -> own.run("RELEASE SAVEPOINT " + Injected.SAVEPOINT, result -> then.run()));
    }

    /**
     * Handles a statement that failed on the server because of another transaction. Gives {@code then} the SQL that
     * repeats the statement, or null if it cannot be repeated.
     */
    public void repeatOnCopies(Call call, boolean overtaken, Consumer<@Nullable String> then) {
        if (overtaken) {
            contender.doom();
        }
        own.recover(() -> leaveServer(() -> toCopies(call, then)));
    }

    /**
     * Makes the earlier changes visible to the next statement. Gives {@code then} the SQL that runs the statement, or
     * null if it cannot run.
     */
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
            repeat(0, UnaryOperator.identity(), error -> {
                if (error == null) {
                    place = Place.SERVER;
                    then.accept(call.sql());
                } else {
                    if (!isWait(error)) {
                        contender.doom();
                    }
                    leaveServer(() -> toCopies(call, then));
                }
            });
        }
    }

    /** Runs all statements again on the server before the COMMIT. Tells {@code then} whether that succeeded. */
    public void prepareCommit(Consumer<Boolean> then) {
        leaveServer(() -> {
            if (contender.isDoomed()) {
                then.accept(false);
            } else {
                repeat(0, UnaryOperator.identity(), error -> then.accept(error == null));
            }
        });
    }

    private void toCopies(Call call, Consumer<@Nullable String> then) {
        List<String> statements = new ArrayList<>();
        boolean possible = log.isComplete() && !meansTables(call);
        for (StatementLog.Entry entry : log.entries) {
            possible &= !meansTables(entry.call());
            statements.add(entry.call().sql());
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
            repeat(0, copies::onCopies, error -> {
                if (error == null) {
                    place = Place.COPIES;
                    then.accept(copies.onCopies(call.sql()));
                } else {
                    leaveServer(() -> then.accept(null));
                }
            });
        });
    }

    /** Whether a statement always uses the tables themselves, even if copies exist, because PREPARE has bound them. */
    private static boolean meansTables(Call call) {
        return call.kind() == Statement.Kind.EXECUTE;
    }

    /** Repeats the statements from an index on. Gives {@code then} the first difference, or null. */
    private void repeat(int from, UnaryOperator<String> words, Consumer<@Nullable PgError> then) {
        if (from == log.entries.size()) {
            then.accept(null);
            return;
        }
        StatementLog.Entry entry = log.entries.get(from);
        own.repeat(words.apply(entry.call().sql()), entry.call(), result -> {
            if (result.error() != null) {
                then.accept(result.error());
            } else if (result.digest() != entry.digest()) {
                then.accept(CONFLICT);
            } else {
                repeat(from + 1, words, then);
            }
        });
    }

    /** Whether an error means only that another transaction holds a lock. */
    static boolean isWait(PgError error) {
        return switch (error.code()) {
            case "57014", "55P03", "40P01" -> true;
            default -> false;
        };
    }
}
