package dev.reservoir.emulator;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reservoir.emulator.junit.EmulatorExtension;
import dev.reservoir.pgwire.message.ClientMessages;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Answers come in the order of the requests, however many requests a client sends ahead. */
class PipelineTest {
    @RegisterExtension
    static final EmulatorExtension dsql = EmulatorExtension.with(builder -> builder);

    private WireClient client;

    @BeforeEach
    void open() throws Exception {
        dsql.emulator().limits(Limits.dsql());
        client = WireClient.open(dsql.emulator());
        client.send(query("drop table if exists lines"));
        client.untilReady(1);
        client.send(query("create table lines (id int)"));
        client.untilReady(1);
    }

    @AfterEach
    void close() throws Exception {
        client.close();
    }

    private static ByteBuf query(String sql) {
        byte[] bytes = sql.getBytes(StandardCharsets.UTF_8);
        return Unpooled.buffer()
                .writeByte('Q')
                .writeInt(bytes.length + 5)
                .writeBytes(bytes)
                .writeByte(0);
    }

    /** Parse, Bind and Execute. */
    private static ByteBuf statement(String sql) {
        return Unpooled.wrappedBuffer(
                ClientMessages.parse("", sql), ClientMessages.bind("", ""), ClientMessages.execute(""));
    }

    @Test
    void statementsAndSyncsSentAheadAreAnsweredInOrder() throws Exception {
        client.send(
                statement("insert into lines values (1)"),
                statement("select id from lines"),
                ClientMessages.sync(),
                query("select 1"),
                statement("delete from lines"),
                ClientMessages.sync());
        assertThat(client.untilReady(3))
                .containsExactly(
                        "1",
                        "2",
                        "C INSERT 0 1",
                        "1",
                        "2",
                        "D",
                        "C SELECT 1",
                        "ZI",
                        "T",
                        "D",
                        "C SELECT 1",
                        "ZI",
                        "1",
                        "2",
                        "C DELETE 1",
                        "ZI");
    }

    @Test
    void aRefusalInTheMiddleVoidsTheRestUpToTheSyncAndNoMore() throws Exception {
        client.send(
                statement("insert into lines values (1)"),
                statement("truncate lines"),
                statement("insert into lines values (2)"),
                ClientMessages.sync(),
                statement("select id from lines"),
                ClientMessages.sync());
        assertThat(client.untilReady(2))
                .containsExactly("1", "2", "C INSERT 0 1", "E 0A000", "ZI", "1", "2", "C SELECT 0", "ZI");
    }

    @Test
    void aCommitSentAheadOfTheLimitDoesNotCommit() throws Exception {
        dsql.emulator().limits(Limits.dsql().withTransactionRows(2));
        client.send(
                statement("begin"),
                statement("insert into lines values (1), (2)"),
                statement("insert into lines values (3)"),
                statement("commit"),
                ClientMessages.sync(),
                statement("commit"),
                ClientMessages.sync(),
                statement("select id from lines"),
                ClientMessages.sync());
        assertThat(client.untilReady(3))
                .containsExactly(
                        "1",
                        "2",
                        "C BEGIN",
                        "1",
                        "2",
                        "C INSERT 0 2",
                        "1",
                        "2",
                        "E 54000",
                        "ZE",
                        "1",
                        "2",
                        "C ROLLBACK",
                        "ZI",
                        "1",
                        "2",
                        "C SELECT 0",
                        "ZI");
    }

    @Test
    void theSyncIsNotPassedOnBeforeTheLimitIsKnown() throws Exception {
        dsql.emulator().limits(Limits.dsql().withTransactionRows(2));
        client.send(
                statement("insert into lines values (1), (2)"),
                statement("insert into lines values (3)"),
                ClientMessages.sync(),
                query("insert into lines values (1), (2), (3)"),
                query("select id from lines"));
        assertThat(client.untilReady(3))
                .containsExactly(
                        "1", "2", "C INSERT 0 2", "1", "2", "E 54000", "ZI", "E 54000", "ZI", "T", "C SELECT 0", "ZI");
    }

    @Test
    void aFailedCommitEndsTheTransactionInAPipelineToo() throws Exception {
        client.send(statement("begin"), statement("insert into lines values (1)"), ClientMessages.sync());
        client.untilReady(1);
        try (WireClient other = WireClient.open(dsql.emulator())) {
            other.send(query("create table if not exists elsewhere (id int)"));
            assertThat(other.untilReady(1)).containsExactly("C CREATE TABLE", "ZI");
        }
        client.send(
                statement("commit"),
                statement("select 1"),
                ClientMessages.sync(),
                ClientMessages.parse("", "select id from lines"),
                ClientMessages.bind("", ""),
                ClientMessages.describePortal(""),
                ClientMessages.execute(""),
                ClientMessages.sync());
        assertThat(client.untilReady(2)).containsExactly("1", "2", "E 40001", "ZI", "1", "2", "T", "C SELECT 0", "ZI");
        client.send(query("drop table elsewhere"));
        client.untilReady(1);
    }

    @Test
    void aPreparedStatementSurvivesARefusalBetweenItsUses() throws Exception {
        client.send(ClientMessages.parse("kept", "insert into lines values (7)"), ClientMessages.sync());
        client.send(
                ClientMessages.bind("p", "kept"),
                ClientMessages.execute("p"),
                statement("lock table lines"),
                ClientMessages.sync());
        client.send(
                ClientMessages.bind("p", "kept"),
                ClientMessages.execute("p"),
                ClientMessages.closeStatement("kept"),
                ClientMessages.sync());
        assertThat(client.untilReady(3))
                .containsExactly("1", "ZI", "2", "C INSERT 0 1", "E 0A000", "ZI", "2", "C INSERT 0 1", "3", "ZI");
    }

    @Test
    void simpleQueriesSayWhereAnErrorIs() throws Exception {
        client.send(query("select 1; select 2;  select nothing; select 3"));
        assertThat(client.untilReady(1))
                .containsExactly("T", "D", "C SELECT 1", "T", "D", "C SELECT 1", "E 42703 at 29", "ZI");
        client.send(query(" -- nothing at all"), query(""));
        assertThat(client.untilReady(2)).containsExactly("I", "ZI", "I", "ZI");
    }

    @Test
    void transactionsWithinAScriptBeginAndEndWhereTheySay() throws Exception {
        client.send(query("insert into lines values (1); begin; insert into lines values (2)"));
        client.send(query("commit; insert into lines values (3); select nothing"));
        client.send(query("select id from lines"));
        assertThat(client.untilReady(3))
                .containsExactly(
                        "C INSERT 0 1",
                        "C BEGIN",
                        "C INSERT 0 1",
                        "ZT",
                        "C COMMIT",
                        "C INSERT 0 1",
                        "E 42703 at 46",
                        "ZI",
                        "T",
                        "D",
                        "D",
                        "C SELECT 2",
                        "ZI");
    }

    @Test
    void aCallByTheOldWayIsRefusedAndNothingElse() throws Exception {
        ByteBuf call = Unpooled.buffer()
                .writeByte('F')
                .writeInt(14)
                .writeInt(1)
                .writeShort(0)
                .writeShort(0)
                .writeShort(0);
        client.send(call, query("select 1"));
        assertThat(client.untilReady(2)).containsExactly("E 0A000", "ZI", "T", "D", "C SELECT 1", "ZI");
    }

    @Test
    void aMessageThatMakesNoSenseEndsTheConnection() throws Exception {
        client.send(Unpooled.buffer().writeByte('?').writeInt(4), query("select 1"));
        assertThat(client.untilReady(1)).containsExactly("E 08P01", "end");
    }

    /** Random requests get the expected answers in the expected order. */
    @Test
    void atRandomEveryAnswerComesInItsPlace() throws Exception {
        long seed = System.nanoTime();
        Random random = new Random(seed);
        for (int round = 0; round < 150; round++) {
            List<ByteBuf> frames = new ArrayList<>();
            List<String> expected = new ArrayList<>();
            int syncs = 1 + random.nextInt(4);
            for (int i = 0; i < syncs; i++) {
                series(random, frames, expected);
            }
            client.send(frames.toArray(new ByteBuf[0]));
            assertThat(client.untilReady(syncs))
                    .as("seed %d, round %d", seed, round)
                    .isEqualTo(expected);
        }
    }

    private static void series(Random random, List<ByteBuf> frames, List<String> expected) {
        boolean failed = false;
        for (int i = random.nextInt(6); i >= 0; i--) {
            int kind = random.nextInt(5);
            frames.add(statement(
                    switch (kind) {
                        case 0 -> "vacuum lines";
                        case 1 -> "select nothing";
                        case 2 -> "insert into lines values (1)";
                        case 3 -> "select 1";
                        default -> "";
                    }));
            if (!failed) {
                expected.addAll(
                        switch (kind) {
                            case 0 -> List.of("E 0A000");
                            case 1 -> List.of("E 42703 at 8");
                            case 2 -> List.of("1", "2", "C INSERT 0 1");
                            case 3 -> List.of("1", "2", "D", "C SELECT 1");
                            default -> List.of("1", "2", "I");
                        });
            }
            failed |= kind < 2;
        }
        frames.add(ClientMessages.sync());
        expected.add("ZI");
    }
}
