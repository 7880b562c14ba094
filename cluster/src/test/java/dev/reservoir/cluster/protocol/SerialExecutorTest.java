package dev.reservoir.cluster.protocol;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class SerialExecutorTest {
    private final SerialExecutor serial = new SerialExecutor();
    private final List<String> done = new ArrayList<>();

    private void fail(String what) {
        done.add(what);
        throw new IllegalStateException(what);
    }

    @Test
    void whatWasPutOffIsDoneOnceTheBooksAreClosed() {
        serial.enter(() -> {
            serial.later(() -> done.add("later"));
            serial.enter(() -> done.add("inside"));
            done.add("first");
        });
        assertThat(done).containsExactly("inside", "first", "later");
    }

    @Test
    void aFaultKeepsNobodyElseWaiting() {
        assertThatThrownBy(() -> serial.enter(() -> {
                    serial.later(() -> fail("second"));
                    serial.later(() -> done.add("third"));
                    fail("first");
                }))
                .hasMessage("first")
                .satisfies(e -> assertThat(e.getSuppressed()).hasSize(1));
        assertThat(done).containsExactly("first", "second", "third");
    }

    @Test
    void nothingCanBePutOffWhileTheBooksAreClosed() {
        assertThatThrownBy(() -> serial.later(() -> {})).hasMessageStartingWith("bug:");
    }
}
