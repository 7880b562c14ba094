package dev.reservoir.dynamodb.processes;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.assertj.core.data.Offset;
import org.junit.jupiter.api.Test;

class TokenBucketTest {
    private static final TokenBucket BUCKET = new TokenBucket(10, 5);

    @Test
    void aBurstAndThenTheRateFit() {
        List<Arrival> arrivals = arrivals(0, 0, 0, 0, 0, 100, 200, 300);

        assertThat(BUCKET.overdraft(arrivals).asTheyCame()).isLessThanOrEqualTo(0);
    }

    @Test
    void oneMoreThanTheBurstAtOnceIsOneTooMany() {
        TokenBucket.Overdraft overdraft = BUCKET.overdraft(arrivals(0, 0, 0, 0, 0, 0));

        assertThat(overdraft.asTheyCame()).isEqualTo(1, Offset.offset(1e-9));
        assertThat(overdraft.allowingForDelays()).isEqualTo(1, Offset.offset(1e-9));
    }

    @Test
    void whatWasSpentIsThereAgainOnlyAtTheRate() {
        List<Arrival> arrivals = arrivals(0, 0, 0, 0, 0, 200, 200, 200);

        assertThat(BUCKET.overdraft(arrivals).asTheyCame()).isEqualTo(1, Offset.offset(1e-9));
    }

    @Test
    void aQuietTimeYieldsNoMoreThanTheBurst() {
        List<Arrival> arrivals = arrivals(0, 60_000, 60_000, 60_000, 60_000, 60_000, 60_000, 60_000);

        assertThat(BUCKET.overdraft(arrivals).asTheyCame()).isEqualTo(2, Offset.offset(1e-9));
    }

    @Test
    void delaysExcuseWhatTheRateYieldsInThem() {
        List<Arrival> arrivals = new ArrayList<>(arrivals(1_000, 1_000, 1_000, 1_000, 1_000, 1_000));
        arrivals.add(new Arrival(1_000_000, new Greeting("p", 900_000, false)));

        assertThat(BUCKET.overdraft(arrivals).asTheyCame()).isEqualTo(2, Offset.offset(1e-9));
        assertThat(BUCKET.overdraft(arrivals).allowingForDelays()).isEqualTo(1, Offset.offset(1e-9));
    }

    private static List<Arrival> arrivals(long... millis) {
        List<Arrival> all = new ArrayList<>();
        for (long milli : millis) {
            all.add(new Arrival(milli * 1_000, new Greeting("p", milli * 1_000, false)));
        }
        return all;
    }
}
