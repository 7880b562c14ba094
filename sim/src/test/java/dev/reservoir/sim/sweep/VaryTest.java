package dev.reservoir.sim.sweep;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.reservoir.sim.sweep.Vary.Value;
import java.math.BigDecimal;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What can be varied, and how it is written. */
class VaryTest {
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "target=25..100:25 | target=25,50,75,100",
                "target=25..110:25 | target=25,50,75,100",
                "target=1..3 | target=1,2,3",
                "target=5 | target=5",
                "burst=0,1000 | burst=0,1000",
                "target=200,10..12,7 | target=200,10,11,12,7",
                "rate=0.5..2:0.5 | rate=0.5,1,1.5,2",
                "rate=100.0 | rate=100",
                "jitter=0s..2m:30s | jitter=0s,30s,1m,1m30s,2m",
                "handshake=10ms,1.5s | handshake=10ms,1.5s",
                "cap=0,10000 | cap=0,10000"
            })
    void listsAndRangesAreRead(String text, String read) {
        assertThat(Vary.parse(text)).hasToString(read);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "target | --vary is 'target'; allowed: KEY=VALUES, such as target=25..200:25 or burst=0,1000",
                "=5 | --vary is '=5'; allowed: KEY=VALUES",
                "size=5 | --vary: unknown key 'size'; known: rate, instances, target, maxOpen, guard, lifetime, jitter,"
                        + " inUse, load, burst, cap, handshake",
                "target= | --vary target: ''; allowed: whole numbers from 1 to 100000, lists of them, and ranges",
                "target=0 | --vary target: '0'; allowed: whole numbers from 1 to 100000",
                "target=-5 | --vary target: '-5'; allowed: whole numbers",
                "target=1.5 | --vary target: '1.5'; allowed: whole numbers",
                "target=9999999999 | --vary target: '9999999999'; allowed: whole numbers",
                "target=5,5 | --vary target: 5 is given twice",
                "target=9..5:1 | --vary target: the range '9..5:1' never ends; allowed: FIRST..LAST:STEP",
                "target=1..5:0 | --vary target: the range '1..5:0' never ends",
                "target=1..20000 | --vary target: more than 10,000 values; allowed: at most 10,000 combinations in all",
                "rate=0 | --vary rate: '0'; allowed: numbers from 0.001 to 1000000",
                "jitter=5 | --vary jitter: '5'; allowed: durations such as 30s or 1m30s, at most 720h",
                "jitter=-5s | --vary jitter: '-5s'; allowed: durations",
                "jitter=1s..5s | --vary jitter: the range '1s..5s' has no step; allowed: such as 0s..4m:30s",
                "lifetime=0s | --vary lifetime: '0s'; allowed: durations from 1ms and at most 720h",
                "lifetime=721h | --vary lifetime: '721h'; allowed: durations from 1ms and at most 720h",
                "handshake=25h | --vary handshake: '25h'; allowed: durations such as 30s or 1m30s, at most 24h",
                "burst=1000001 | --vary burst: '1000001'; allowed: whole numbers from 0 to 1000000"
            })
    void whatIsWrongIsNamedWithWhatIsAllowed(String text, String message) {
        assertThatThrownBy(() -> Vary.parse(text))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith(message);
    }

    @Test
    void aDurationCountsInNanoseconds() {
        assertThat(Vary.parse("guard=45s").values())
                .extracting(Value::number)
                .containsExactly(BigDecimal.valueOf(45_000_000_000L));
    }

    @Test
    void everyKeyHasAnExplanation() {
        assertThat(Knob.all()).allSatisfy(knob -> assertThat(knob.about()).isNotEmpty());
    }
}
