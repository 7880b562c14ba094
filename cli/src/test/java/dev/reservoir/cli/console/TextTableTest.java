package dev.reservoir.cli.console;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.reservoir.cli.Shell;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Columns that line up, and the bar that vanishes. */
class TextTableTest {
    private final Shell shell = Shell.terminal();

    @Test
    void textBeginsAtTheLeftAndNumbersEndAtTheRight() {
        new TextTable()
                .left("name")
                .right("count")
                .left("why")
                .row(List.of("a", "1", "none"))
                .row(List.of("longer", "1,000", ""))
                .print(shell.console().out());

        assertThat(shell.out()).isEqualTo("""
                  name    count  why
                  a           1  none
                  longer  1,000
                """);
    }

    @Test
    void withoutHeadingsThereIsNoLineForThem() {
        new TextTable()
                .left("")
                .left("")
                .row(List.of("a", "b"))
                .print(shell.console().out());

        assertThat(shell.out()).isEqualTo("  a  b\n");
    }

    @Test
    void aStyleDoesNotChangeTheWidths() {
        new TextTable()
                .left("")
                .right("")
                .row(List.of("ok", "1"))
                .row(List.of("FAIL", "10"))
                .print(shell.console().out(), (cell, padded) -> cell.equals("ok") ? "<" + padded + ">" : padded);

        assertThat(shell.out()).isEqualTo("  <ok  >   1\n  FAIL  10\n");
    }

    @Test
    void aRowOfTheWrongLengthIsABug() {
        TextTable table = new TextTable().left("a");

        assertThatThrownBy(() -> table.row(List.of("1", "2"))).hasMessageStartingWith("bug: ");
    }

    @Test
    void aBarThatWasDrawnIsGoneAtTheEnd() throws InterruptedException {
        ProgressBar bar = new ProgressBar(shell.console());
        while (shell.out().isEmpty()) {
            bar.simulated("local (reservoir)", 600_000_000_000L, 1_200_000_000_000L);
            Thread.onSpinWait();
        }
        bar.close();

        assertThat(shell.out())
                .startsWith("\r\033[2Klocal (reservoir)  [###############...............]  10:00 of 20:00  ")
                .endsWith(" x real time\r\033[2K");
    }

    @Test
    void aBarNeverShowsWhereNobodyIsLooking() {
        Shell piped = Shell.piped();
        ProgressBar bar = new ProgressBar(piped.console());
        long end = System.nanoTime() + 250_000_000L;
        while (System.nanoTime() < end) {
            bar.counted("sweep", 1, 2);
        }
        bar.close();

        assertThat(piped.out()).isEmpty();
    }
}
