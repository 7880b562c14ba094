package dev.reservoir.emulator.internal.gateway;

import dev.reservoir.emulator.Faults;
import java.time.Duration;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.DoubleFunction;

/** The faults that are switched on. Any thread may write them; the event loops read them. */
public final class FaultState implements Faults {
    private final DoubleFunction<Integer> dropper;

    // The sessions of the emulator read these.
    volatile boolean refuse;
    volatile boolean hangConnects;
    volatile boolean unavailable;
    volatile boolean unavailableAfterCommit;
    volatile boolean refuseTokens;
    volatile Duration delayConnects = Duration.ZERO;
    volatile Duration slowStatements = Duration.ZERO;

    FaultState(DoubleFunction<Integer> dropper) {
        this.dropper = dropper;
    }

    @Override
    public void refuse(boolean on) {
        refuse = on;
    }

    @Override
    public void hangConnects(boolean on) {
        hangConnects = on;
    }

    @Override
    public void delayConnects(Duration delay) {
        delayConnects = checked("delayConnects", delay);
    }

    @Override
    public void slowStatements(Duration delay) {
        slowStatements = checked("slowStatements", delay);
    }

    @Override
    public void unavailable(boolean on) {
        unavailable = on;
    }

    @Override
    public void unavailableAfterCommit(boolean on) {
        unavailableAfterCommit = on;
    }

    @Override
    public void refuseTokens(boolean on) {
        refuseTokens = on;
    }

    @Override
    public int dropShare(double share) {
        if (!(share >= 0 && share <= 1)) {
            throw new IllegalArgumentException("share is " + share + "; allowed: 0 to 1");
        }
        return dropper.apply(share);
    }

    @Override
    public void clear() {
        refuse = false;
        hangConnects = false;
        unavailable = false;
        unavailableAfterCommit = false;
        refuseTokens = false;
        delayConnects = Duration.ZERO;
        slowStatements = Duration.ZERO;
    }

    /** The state of every fault by name, with delays in milliseconds. */
    public Map<String, Object> asMap() {
        Map<String, Object> map = new TreeMap<>();
        map.put("refuse", refuse);
        map.put("hangConnects", hangConnects);
        map.put("delayConnectsMillis", delayConnects.toMillis());
        map.put("slowStatementsMillis", slowStatements.toMillis());
        map.put("unavailable", unavailable);
        map.put("unavailableAfterCommit", unavailableAfterCommit);
        map.put("refuseTokens", refuseTokens);
        return map;
    }

    private static Duration checked(String name, Duration delay) {
        if (delay.isNegative()) {
            throw new IllegalArgumentException(name + " is " + delay + "; allowed: zero or longer");
        }
        return delay;
    }
}
