package dev.reservoir.jdbc.connect;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;

/**
 * One validation for a caller that waits for it. It ends once: with the driver's answer, with the engine's verdict that the connection
 * is lost, or with the timeout, whichever comes first. The engine is asked for its verdict only while there is no answer.
 */
public final class CallerValidation {

    /** How it ended. */
    public enum Answer {
        WORKS,

        /** The same, after the engine was asked. It may still find the connection lost, until this use of it is over. */
        WORKS_AFTER_DOUBT,

        /** The driver said so, or said nothing within the timeout. */
        DOES_NOT_WORK,

        /** The server answers others and not this one. The engine has closed it and suspects the others already. */
        LOST
    }

    private final CompletableFuture<Answer> answer = new CompletableFuture<>();
    private final Supplier<? extends CompletionStage<?>> verdict;

    /** Guarded by this, so that the engine never judges a use that is over. */
    private boolean doubted;

    private boolean ended;

    /** Nothing happens yet. The verdict completes if the connection is lost, and does not complete otherwise. */
    CallerValidation(Supplier<? extends CompletionStage<?>> verdict) {
        this.verdict = verdict;
    }

    /** Always completes. */
    public CompletableFuture<Answer> answer() {
        return answer;
    }

    void end(boolean works) {
        end(works ? Answer.WORKS : Answer.DOES_NOT_WORK);
    }

    private void end(Answer how) {
        Answer given = how;
        synchronized (this) {
            if (ended) {
                return;
            }
            ended = true;
            if (doubted && how == Answer.WORKS) {
                given = Answer.WORKS_AFTER_DOUBT;
            }
        }
        answer.complete(given);
    }

    /** There is no answer for too long: asks the engine. Does not block. */
    void doubt(Runnable whenLost) {
        CompletionStage<?> lost;
        synchronized (this) {
            if (ended) {
                return;
            }
            doubted = true;
            lost = verdict.get();
        }
        lost.thenRun(() -> {
            end(Answer.LOST);
            whenLost.run();
        });
    }
}
