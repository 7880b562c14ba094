package dev.reservoir.core.internal.keeper;

import dev.reservoir.core.Targets;
import dev.reservoir.core.internal.opening.Closings;

/**
 * Decides how many connections to open and to retire. It is a pure function of a {@link Situation}: it acts on nothing,
 * remembers nothing and reads no clock.
 *
 * <p><b>Wanted connections.</b> Connections in use count (promise 10). In addition to those, the reservoir wants
 * {@code targetReady} connections, or one for each waiter if that is more. In all it wants at least {@code minOpen} and
 * at most {@code maxOpen}.
 *
 * <p><b>States.</b> A connection stays, ages or is marked. An aging one is about to retire. The planner counts it as
 * gone for the number of wanted connections, and as present for the limit. So successors open first, within their
 * allowance (promises 1 and 8). Once enough connections stay without the aging ones, those retire. A retired connection
 * keeps its place in the count for a short time, until the server has most likely seen its close.
 *
 * <p><b>Why not one for one.</b> The obvious way is to open one successor for each connection that is due. If that
 * connect fails, is slow, or its predecessor breaks first, the pairs no longer match. The planner only compares totals,
 * so any new connection can succeed any old one.
 *
 * <p>Connects that {@linkplain Situation#needed nobody needs yet} are spread over time, including those of successors.
 */
final class Planner {
    /** How soon to look again while the number of ready connections may fall although nobody has to wait. */
    static final long GROWTH_CHECK_NANOS = 100_000_000L;

    private Planner() {}

    /**
     * The actions for a {@link Situation}.
     *
     * @param open how many connects to begin
     * @param paced how many of {@code open} could have waited
     * @param openOverflow how many connects to begin for temporary connections
     * @param supersede how many aging connections to retire, the oldest first, because a successor is open
     * @param makeRoom how many more aging connections to retire if they are ready, because a successor has no room
     *     otherwise
     * @param shed how many connections to retire because there are more than the maximum
     * @param urgent how many of {@code open} are urgent, because the reservoir is below its low watermark
     * @param lookAgainNanos when to look again even if nothing happens
     */
    record Plan(
            int open,
            int paced,
            int openOverflow,
            int supersede,
            int makeRoom,
            int shed,
            int urgent,
            long lookAgainNanos) {}

    static Plan plan(Situation s, long scanIntervalNanos) {
        Targets targets = s.targets();
        int wanted = wanted(s);
        int surplus = s.live() - s.marked() - wanted;
        int supersede = Math.min(s.aging(), Math.max(0, surplus));
        int needed = s.needed(wanted);
        // Connections whose validation hangs are probably lost. Others are opened in addition, as far as somebody needs
        // them.
        int replaced = Math.max(0, s.live() - s.marked() - targets.maxOpen());
        int lost = Math.max(0, Math.min(s.doubtful(), needed) - replaced);
        int missing = wanted - (s.live() - s.marked() - s.aging()) - s.opening() + lost;
        int underWay = s.opening() + s.openingOverflow();
        boolean mayOpen = !s.paused() && s.nowNanos() >= s.mayOpenFromNanos();
        int opensLeft = mayOpen ? Math.max(0, (s.probing() ? 1 : s.opensInFlightMax()) - underWay) : 0;
        int calm = s.nowNanos() < s.calmFromNanos() ? 0 : s.calmAtOnce();
        long now = Math.min((long) needed + calm, opensLeft);
        int makeRoom = 0;
        if (s.live() >= targets.maxOpen() + s.allowance() && mayOpen) {
            // There is no room for successors: the allowance is zero, or long uses take it up. Predecessors retire
            // first, only a few at a time, because each leaves a gap.
            int gaps = Math.max(1, targets.maxOpen() / 20) - Math.max(0, -surplus);
            makeRoom = (int) Math.max(0, Math.min(now, Math.min(Math.min(s.aging(), missing), gaps) - supersede));
        }
        int room = targets.maxOpen() + s.allowance() - s.live() - s.opening() - s.closing();
        int open = (int) Math.max(0, Math.min(Math.min(missing, room), now));
        int openOverflow = 0;
        if (s.live() + s.opening() + s.closing() + open >= targets.maxOpen()) {
            int wantedOverflow = s.waiting() - s.opening() - open - s.openingOverflow();
            int overflowRoom = s.overflowMax() - s.overflow() - s.openingOverflow();
            openOverflow = Math.max(0, Math.min(Math.min(wantedOverflow, overflowRoom), opensLeft - open));
        }
        int shed = Math.max(0, s.live() - s.marked() - supersede - targets.maxOpen());
        int urgent = Math.min(open, Math.max(0, targets.lowWatermark() - (s.live() - s.marked()) - s.opening()));
        return new Plan(
                open,
                Math.max(0, open - needed),
                openOverflow,
                supersede,
                makeRoom,
                shed,
                urgent,
                lookAgain(s, missing - open, scanIntervalNanos));
    }

    private static int wanted(Situation s) {
        Targets targets = s.targets();
        int staying = s.inUse() - s.marked();
        int beside = Math.max(targets.targetReady(), s.waiting());
        return Math.min(targets.maxOpen(), Math.max(targets.minOpen(), staying + beside));
    }

    private static long lookAgain(Situation s, int stillMissing, long scanIntervalNanos) {
        long next = s.nowNanos() + scanIntervalNanos;
        if (stillMissing > 0 && s.calmFromNanos() > s.nowNanos()) {
            next = Math.min(next, s.calmFromNanos());
        }
        if (stillMissing > 0 && s.mayOpenFromNanos() > s.nowNanos()) {
            next = Math.min(next, s.mayOpenFromNanos());
        }
        if (stillMissing > 0 && s.closing() > 0) {
            next = Math.min(next, s.nowNanos() + Closings.PLACE_KEPT_NANOS / 4);
        }
        if (s.live() + s.opening() < s.targets().maxOpen()) {
            next = Math.min(next, s.nowNanos() + GROWTH_CHECK_NANOS);
        }
        return next;
    }
}
