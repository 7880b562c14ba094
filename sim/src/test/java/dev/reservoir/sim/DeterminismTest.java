package dev.reservoir.sim;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reservoir.sim.result.Outcome;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class DeterminismTest {
    @ParameterizedTest
    @EnumSource(PoolKind.class)
    void theSameScenarioGivesTheSameOutcome(PoolKind pool) {
        Outcome first = Digest.scenario().run(pool).outcome();
        Outcome second = Digest.scenario().run(pool).outcome();
        assertThat(second.samples()).isEqualTo(first.samples());
        assertThat(second.seconds()).isEqualTo(first.seconds());
        assertThat(second.marks()).isEqualTo(first.marks());
        assertThat(second.waits()).isEqualTo(first.waits());
        assertThat(second.ages()).isEqualTo(first.ages());
        assertThat(second.verdicts()).isEqualTo(first.verdicts());
        assertThat(second.events()).isEqualTo(first.events());
        assertThat(Digest.of(second)).isEqualTo(Digest.of(first));
        // Much happens in the scenario.
        assertThat(first.last()).allMatch(s -> s.workCompleted() > 100 && s.failedWork() > 0);
    }

    @ParameterizedTest
    @EnumSource(PoolKind.class)
    void anotherSeedGivesAnother(PoolKind pool) {
        assertThat(Digest.of(Digest.scenario().seed(8).run(pool).outcome()))
                .isNotEqualTo(Digest.of(Digest.scenario().run(pool).outcome()));
    }

    @Test
    void anotherJavaMachineGivesTheSame() throws IOException, InterruptedException {
        assertThat(inAnotherMachine(
                        "-XX:+UnlockExperimentalVMOptions",
                        "-XX:hashCode=2",
                        "-XX:TieredStopAtLevel=1",
                        "-XX:+UseSerialGC",
                        "-XX:ActiveProcessorCount=1",
                        "-Duser.language=ar",
                        "-Duser.country=EG",
                        "-Duser.timezone=Asia/Kathmandu",
                        "-Dfile.encoding=ISO-8859-1"))
                .isEqualTo(Digest.eventful());
    }

    private static String inAnotherMachine(String... flags) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(List.of(flags));
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), Digest.class.getName()));
        Process process = new ProcessBuilder(command)
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        String out;
        try {
            out = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            assertThat(process.waitFor(2, TimeUnit.MINUTES)).isTrue();
        } finally {
            process.destroyForcibly();
        }
        assertThat(process.exitValue()).isZero();
        // The last line. A logger may write lines before it.
        return out.strip().lines().reduce("", (before, line) -> line);
    }
}
