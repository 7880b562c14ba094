package dev.reservoir.core.internal.calls;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reservoir.core.kit.BugLog;
import dev.reservoir.core.time.VirtualTime;
import dev.reservoir.core.util.EventDispatcher;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.slf4j.helpers.NOPLogger;

/** The loop goes on, whatever events and actions throw. */
class EventLoopTest {
    private final VirtualTime time = new VirtualTime();
    private final EventLoop loop = new EventLoop(time, new EventDispatcher(Runnable::run, NOPLogger.NOP_LOGGER));
    private final List<String> ran = new ArrayList<>();

    /** Code in another language, or compiled with a trick, throws checked exceptions that nobody declared. */
    @SuppressWarnings("unchecked")
    private static <E extends Throwable> void throwUndeclared(Throwable error) throws E {
        throw (E) error;
    }

    @Test
    void aCheckedExceptionThatNobodyDeclaredEndsNeitherEventsNorActions() {
        BugLog.clear();
        loop.post(() -> EventLoopTest.<RuntimeException>throwUndeclared(new Exception("event")));
        loop.post(() -> {
            loop.later(() -> EventLoopTest.<RuntimeException>throwUndeclared(new Exception("action")));
            loop.later(() -> ran.add("next action"));
        });
        time.advance(1);
        loop.post(() -> ran.add("next event"));
        time.advance(1);
        assertThat(ran).containsExactly("next action", "next event");
        BugLog.clear();
    }

    @Test
    void aCallThatThrowsACheckedExceptionLooksLikeAStageThatFails() {
        List<Throwable> errors = new ArrayList<>();
        SpiCalls.<String>call(
                () -> {
                    EventLoopTest.<RuntimeException>throwUndeclared(new Exception("call"));
                    throw new AssertionError("not reached");
                },
                (result, error) -> errors.add(error));
        assertThat(errors).singleElement().satisfies(error -> assertThat(error).hasMessage("call"));
    }
}
