package dev.reservoir.core.internal.keeper;

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
