package dev.reservoir.emulator.internal.upstream;

import dev.reservoir.pgwire.message.ClientMessages;
import dev.reservoir.pgwire.message.Frames;
import io.netty.buffer.ByteBuf;
import io.netty.channel.EventLoop;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Creates DSQL's schema {@code sys} in the server behind the emulator: the jobs, and the procedure that waits for them.
 * The first statement that needs the schema starts the creation, on a connection of its own. If the creation fails, the
 * next statement that needs the schema starts again. A job is done when its statement ends. Safe for use by several
 * threads; never blocks.
 */
final class SysSchema {
    private static final Logger LOG = LoggerFactory.getLogger(SysSchema.class);

    private static final String SETUP = """
            CREATE SCHEMA IF NOT EXISTS sys;
            CREATE TABLE IF NOT EXISTS sys.jobs (job_id text PRIMARY KEY DEFAULT gen_random_uuid()::text, status text,
                details text, job_type text, class_id oid, object_id oid, object_name text, start_time timestamptz,
                update_time timestamptz);
            CREATE OR REPLACE FUNCTION sys.add_job(kind text, name text) RETURNS text
                LANGUAGE sql SECURITY DEFINER AS $$
                    INSERT INTO sys.jobs (status, job_type, class_id, object_id, object_name, start_time, update_time)
                    VALUES ('completed', kind, 'pg_class'::regclass, to_regclass(name), name, now(), clock_timestamp())
                    RETURNING job_id $$;
            CREATE OR REPLACE FUNCTION sys.run_async(statement text) RETURNS text LANGUAGE plpgsql AS $$
                DECLARE
                    words text[] := regexp_match(statement, '(?:\\son\\s+(?:only\\s+)?|^\\s*alter\\s+table\\s+)([^\\s(]+)', 'i');
                BEGIN
                    EXECUTE statement;
                    RETURN sys.add_job(CASE WHEN statement ~* '^\\s*create' THEN 'INDEX_BUILD' ELSE 'VALIDATE_CONSTRAINT' END,
                        words[1]);
                END $$;
            CREATE OR REPLACE PROCEDURE sys.wait_for_job(job text) LANGUAGE plpgsql AS $$
                BEGIN
                    PERFORM job::uuid;
                EXCEPTION WHEN invalid_text_representation THEN
                    RAISE EXCEPTION 'Unable to convert text to UUID' USING ERRCODE = '22P02';
                END $$;
            GRANT USAGE ON SCHEMA sys TO PUBLIC;
            GRANT SELECT ON sys.jobs TO PUBLIC""";

    private record Waiter(EventLoop loop, Consumer<Boolean> then) {}

    private final Upstreams upstreams;
    private final List<Waiter> waiters = new ArrayList<>();
    private boolean preparing;
    private boolean made;

    SysSchema(Upstreams upstreams) {
        this.upstreams = upstreams;
    }

    /** Creates the schema if it is missing, and tells {@code then} on the event loop whether it exists. */
    void prepare(EventLoop loop, Consumer<Boolean> then) {
        boolean begins;
        synchronized (this) {
            if (made) {
                loop.execute(() -> then.accept(true));
                return;
            }
            waiters.add(new Waiter(loop, then));
            begins = !preparing;
            preparing = true;
        }
        if (begins) {
            upstreams.open(loop, Map.of("user", "admin", "application_name", "dsql emulator"), new Attempt());
        }
    }

    private synchronized void end(boolean well) {
        made = well;
        preparing = false;
        for (Waiter waiter : waiters) {
            waiter.loop().execute(() -> waiter.then().accept(well));
        }
        waiters.clear();
    }

    /** One attempt to create the schema, on a connection of its own. Used on one event loop only. */
    private final class Attempt implements Upstreams.Opening, Upstream.Listener {
        private @Nullable Upstream upstream;
        private boolean asked;
        private boolean failed;
        private boolean ended;

        private void endOnce(boolean well) {
            if (!ended) {
                ended = true;
                end(well);
            }
        }

        @Override
        public Upstream.Listener opened(Upstream opened) {
            upstream = opened;
            return this;
        }

        @Override
        public void failed(Throwable cause) {
            LOG.warn("The schema sys cannot be made: {}", cause.toString());
            endOnce(false);
        }

        @Override
        public void onMessage(ByteBuf frame) {
            try {
                Upstream server = upstream;
                char type = Frames.type(frame);
                if (type == 'E') {
                    failed = true;
                    LOG.warn("The schema sys cannot be made: {}", Frames.error(frame));
                } else if (type == 'Z' && server != null) {
                    if (asked) {
                        server.close();
                        endOnce(!failed);
                    } else {
                        asked = true;
                        server.write(ClientMessages.query(SETUP));
                        server.flush();
                    }
                }
            } finally {
                frame.release();
            }
        }

        @Override
        public void onClosed() {
            endOnce(false);
        }
    }
}
