package dev.reservoir.emulator.internal.conflict;

/**
 * Which open transactions have met at the same row, so that the first of them to commit wins. PostgreSQL sees for itself most of what
 * conflicts with what has been committed; it does not see that a row was only locked. Safe for use by several threads; never blocks.
 */
public final class Conflicts {

    /** One had to wait for the other. */
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

    /** It has changed nothing. */
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
