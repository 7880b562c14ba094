package dev.reservoir.dynamodb.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class SharedInstancesTest {
    private final List<String> closed = new ArrayList<>();
    private final AtomicInteger made = new AtomicInteger();
    private final SharedInstances<String, String> shared = new SharedInstances<>(closed::add);

    @Test
    void allWhoAskForTheSameKeyGetTheSameAndTheLastCloses() {
        SharedInstances<String, String>.Handle one = acquire("a");
        SharedInstances<String, String>.Handle two = acquire("a");
        assertThat(two.value()).isSameAs(one.value());

        one.close();
        one.close();
        assertThat(closed).isEmpty();
        two.close();

        assertThat(closed).containsExactly("a 1");
        assertThat(acquire("a").value()).isEqualTo("a 2");
    }

    @Test
    void otherKeysAreOtherThings() {
        SharedInstances<String, String>.Handle one = acquire("a");
        SharedInstances<String, String>.Handle two = acquire("b");

        one.close();

        assertThat(closed).containsExactly("a 1");
        assertThat(two.value()).isEqualTo("b 2");
    }

    @Test
    void whoDoesNotAcceptWhatIsThereHoldsNothing() {
        SharedInstances<String, String>.Handle one = acquire("a");

        assertThatThrownBy(() -> shared.acquire("a", () -> "never", there -> {
                    throw new IllegalArgumentException("not " + there);
                }))
                .hasMessage("not a 1");
        one.close();

        assertThat(closed).containsExactly("a 1");
    }

    @Test
    void whatCannotBeMadeIsNotRemembered() {
        assertThatThrownBy(() -> shared.acquire(
                        "a",
                        () -> {
                            throw new IllegalStateException("no");
                        },
                        there -> {}))
                .hasMessage("no");

        assertThat(acquire("a").value()).isEqualTo("a 1");
    }

    private SharedInstances<String, String>.Handle acquire(String key) {
        return shared.acquire(key, () -> key + " " + made.incrementAndGet(), there -> {});
    }
}
