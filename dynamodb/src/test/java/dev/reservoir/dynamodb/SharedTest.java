package dev.reservoir.dynamodb;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class SharedTest {
    private final List<String> closed = new ArrayList<>();
    private final AtomicInteger made = new AtomicInteger();
    private final Shared<String, String> shared = new Shared<>(closed::add);

    @Test
    void allWhoAskForTheSameKeyGetTheSameAndTheLastCloses() {
        Shared<String, String>.Handle one = acquire("a");
        Shared<String, String>.Handle two = acquire("a");
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
        Shared<String, String>.Handle one = acquire("a");
        Shared<String, String>.Handle two = acquire("b");

        one.close();

        assertThat(closed).containsExactly("a 1");
        assertThat(two.value()).isEqualTo("b 2");
    }

    @Test
    void whoDoesNotAcceptWhatIsThereHoldsNothing() {
        Shared<String, String>.Handle one = acquire("a");

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

    private Shared<String, String>.Handle acquire(String key) {
        return shared.acquire(key, () -> key + " " + made.incrementAndGet(), there -> {});
    }
}
