package dev.reservoir.core;

import java.util.List;

/**
 * Who holds a connection, and since when.
 *
 * @param heldNanos how long it has been on loan
 * @param thread the name of the thread that took it, or its number if it is virtual or has ended
 * @param stack where it was taken, outermost caller last; empty unless loans are tracked
 */
public record LoanReport(long heldNanos, String thread, List<StackTraceElement> stack) {

    /** Defends against later changes of the list. */
    public LoanReport {
        stack = List.copyOf(stack);
    }

    /** One line: how long, who, and where if that is known. */
    public String describe() {
        String where = "";
        for (StackTraceElement frame : stack) {
            if (!frame.getClassName().startsWith("dev.reservoir.core.")
                    && !frame.getClassName().startsWith("dev.reservoir.jdbc.")) {
                String type = frame.getClassName();
                where = ", " + type.substring(type.lastIndexOf('.') + 1) + "." + frame.getMethodName() + ":"
                        + frame.getLineNumber();
                break;
            }
        }
        return Text.nanos(heldNanos) + ", " + thread + where;
    }
}
