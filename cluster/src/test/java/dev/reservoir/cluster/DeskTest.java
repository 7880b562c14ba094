package dev.reservoir.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class DeskTest {
    private final Desk desk = new Desk();
    private final List<String> done = new ArrayList<>();

    private void fail(String what) {
        done.add(what);
        throw new IllegalStateException(what);
    }

    @Test
    void whatWasPutOffIsDoneOnceTheBooksAreClosed() {
        desk.enter(() -> {
            desk.later(() -> done.add("later"));
            desk.enter(() -> done.add("inside"));
            done.add("first");
        });
        assertThat(done).containsExactly("inside", "first", "later");
    }

    @Test
    void aFaultKeepsNobodyElseWaiting() {
        assertThatThrownBy(() -> desk.enter(() -> {
                    desk.later(() -> fail("second"));
                    desk.later(() -> done.add("third"));
                    fail("first");
                }))
                .hasMessage("first")
                .satisfies(e -> assertThat(e.getSuppressed()).hasSize(1));
        assertThat(done).containsExactly("first", "second", "third");
    }

    @Test
    void nothingCanBePutOffWhileTheBooksAreClosed() {
        assertThatThrownBy(() -> desk.later(() -> {})).hasMessageStartingWith("bug:");
    }
}
