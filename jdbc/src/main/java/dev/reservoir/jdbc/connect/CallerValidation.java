package dev.reservoir.jdbc.connect;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;

/**
 * One validation for a caller that waits for it. It ends once, with whichever comes first: the answer of the driver,
 * the verdict of the engine that the connection is lost, or the timeout. The engine is asked only while there is no
 * answer. Never blocks.
 */
public final class CallerValidation {

    /** How the validation ended. */
    public enum Answer {
        WORKS,

        /**
         * The connection works, but the engine was asked. The engine may still find it lost, until this use of the
         * connection ends.
         */
        WORKS_AFTER_DOUBT,

        /** The driver said so, or gave no answer within the timeout. */
        DOES_NOT_WORK,

        /**
         * The server answers on other connections but not on this one. The engine has closed it and already suspects
         * the others.
         */
        LOST
    }

    private final CompletableFuture<Answer> answer = new CompletableFuture<>();
    private final Supplier<? extends CompletionStage<?>> verdict;

    /** Guarded by this, so that the engine never judges a use that has ended. */
    private boolean doubted;

    private boolean ended;

    /** Does not start anything. The verdict completes only if the connection is lost. */
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

    /** Called when there has been no answer for too long. Asks the engine. Does not block. */
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
