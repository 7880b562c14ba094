package dev.reservoir.emulator.internal.conflict;

/**
 * Records which open transactions have met at the same row, so that the first one to commit wins. PostgreSQL itself
 * detects most conflicts with committed changes, but not a row that was only locked. Safe for use by several threads;
 * never blocks.
 */
public final class Conflicts {

    /** One transaction had to wait for the other. */
    public synchronized void met(Contender one, Contender other) {
        if (one == other) {
            return;
        }
        if (other.state == Contender.State.COMMITTED) {
            one.doom();
        } else if (one.state == Contender.State.COMMITTED) {
            other.doom();
        } else if (one.state == Contender.State.OPEN && other.state == Contender.State.OPEN) {
            one.rivals.add(other);
            other.rivals.add(one);
        }
    }

    public synchronized void committed(Contender winner) {
        winner.rivals.forEach(Contender::doom);
        leave(winner, Contender.State.COMMITTED);
    }

    /** The transaction has ended without a change. */
    public synchronized void rolledBack(Contender gone) {
        leave(gone, Contender.State.ENDED);
    }

    private static void leave(Contender gone, Contender.State state) {
        if (gone.state == Contender.State.OPEN) {
            gone.state = state;
        }
        gone.rivals.forEach(rival -> rival.rivals.remove(gone));
        gone.rivals.clear();
    }
}
