package dev.reservoir.emulator.internal.gateway;

import dev.reservoir.emulator.Faults;
import java.time.Duration;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.DoubleFunction;

/** The faults that are switched on. Any thread may write them; the event loops read them. */
public final class FaultState implements Faults {
    private final DoubleFunction<Integer> dropper;

    private volatile boolean refuse;
    private volatile boolean hangConnects;
    private volatile boolean unavailable;
    private volatile boolean unavailableAfterCommit;
    private volatile boolean refuseTokens;
    private volatile Duration delayConnects = Duration.ZERO;
    private volatile Duration slowStatements = Duration.ZERO;

    FaultState(DoubleFunction<Integer> dropper) {
        this.dropper = dropper;
    }

    @Override
    public void refuse(boolean on) {
        refuse = on;
    }

    boolean refuse() {
        return refuse;
    }

    @Override
    public void hangConnects(boolean on) {
        hangConnects = on;
    }

    boolean hangConnects() {
        return hangConnects;
    }

    @Override
    public void delayConnects(Duration delay) {
        delayConnects = checked("delayConnects", delay);
    }

    Duration delayConnects() {
        return delayConnects;
    }

    @Override
    public void slowStatements(Duration delay) {
        slowStatements = checked("slowStatements", delay);
    }

    Duration slowStatements() {
        return slowStatements;
    }

    @Override
    public void unavailable(boolean on) {
        unavailable = on;
    }

    boolean unavailable() {
        return unavailable;
    }

    @Override
    public void unavailableAfterCommit(boolean on) {
        unavailableAfterCommit = on;
    }

    boolean unavailableAfterCommit() {
        return unavailableAfterCommit;
    }

    @Override
    public void refuseTokens(boolean on) {
        refuseTokens = on;
    }

    boolean refuseTokens() {
        return refuseTokens;
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
