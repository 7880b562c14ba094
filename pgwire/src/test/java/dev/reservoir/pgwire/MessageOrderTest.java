package dev.reservoir.pgwire;

import static dev.reservoir.pgwire.message.ClientMessages.bind;
import static dev.reservoir.pgwire.message.ClientMessages.closePortal;
import static dev.reservoir.pgwire.message.ClientMessages.closeStatement;
import static dev.reservoir.pgwire.message.ClientMessages.describePortal;
import static dev.reservoir.pgwire.message.ClientMessages.execute;
import static dev.reservoir.pgwire.message.ClientMessages.flush;
import static dev.reservoir.pgwire.message.ClientMessages.query;
import static dev.reservoir.pgwire.message.ClientMessages.sync;
import static org.assertj.core.api.Assertions.assertThat;

import dev.reservoir.pgwire.message.ClientMessages;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import java.io.IOException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Sequences of messages that drivers send seldom, and errors in the middle of them. */
class MessageOrderTest {
    private ExampleServer server;
    private RawClient client;

    @BeforeEach
    void login() throws IOException {
        server = ExampleServer.withoutPassword();
        client = new RawClient(server);
        client.login();
    }

    @AfterEach
    void close() throws IOException {
        client.close();
        server.close();
    }

    private static ByteBuf parse(String sql) {
        return ClientMessages.parse("", sql);
    }

    private void inTransaction() throws IOException {
        client.send(query("begin"));
        assertThat(client.untilReady()).containsExactly("C", "Z");
    }

    @Test
    void aPortalIsDescribedBeforeItRunsAndGoesOnAfterItsRowLimit() throws IOException {
        client.send(
                parse("count 5"),
                bind("p", ""),
                describePortal("p"),
                execute("p", 2),
                execute("p", 2),
                execute("p", 2),
                execute("p", 2),
                sync());
        assertThat(client.untilReady())
                .containsExactly("1", "2", "T", "D", "D", "s", "D", "D", "s", "D", "C", "C", "Z");
    }

    @Test
    void aNewUnnamedStatementEndsTheOldOneAndItsPortals() throws IOException {
        client.send(parse("count 5"), bind("old", ""), parse("echo 1"), execute("old"));
        assertThat(client.untilReady()).containsExactly("1", "2", "1", "E 34000");
        client.send(sync());
        assertThat(client.untilReady()).containsExactly("Z");
    }

    @Test
    void aParseThatFailsEndsTheOldUnnamedStatementToo() throws IOException {
        client.send(parse("echo 1"), parse("nonsense"), sync());
        assertThat(client.untilReady()).containsExactly("1", "E 42601");
        assertThat(client.untilReady()).containsExactly("Z");
        client.send(bind("", ""), sync());
        assertThat(client.untilReady()).containsExactly("E 26000");
        assertThat(client.untilReady()).containsExactly("Z");
    }

    @Test
    void aSimpleQueryEndsTheUnnamedStatementAndKeepsNamedOnes() throws IOException {
        client.send(parse("echo 1"), ClientMessages.parse("named", "echo 2"), sync(), query("echo 3"));
        assertThat(client.untilReady()).containsExactly("1", "1", "Z");
        assertThat(client.untilReady()).containsExactly("T", "D", "C", "Z");
        client.send(bind("", "named"), bind("", ""), sync());
        assertThat(client.untilReady()).containsExactly("2", "E 26000");
        assertThat(client.untilReady()).containsExactly("Z");
    }

    @Test
    void closingWhatDoesNotExistIsNoError() throws IOException {
        client.send(closeStatement("nobody"), closePortal("nobody"), sync());
        assertThat(client.untilReady()).containsExactly("3", "3", "Z");
    }

    @Test
    void closingAStatementEndsItsPortalsAndNoOthers() throws IOException {
        client.send(
                ClientMessages.parse("one", ""),
                ClientMessages.parse("two", ""),
                bind("p1", "one"),
                bind("p2", "two"),
                closeStatement("one"),
                execute("p2"),
                execute("p1"),
                sync());
        assertThat(client.untilReady()).containsExactly("1", "1", "2", "2", "3", "I", "E 34000");
        assertThat(client.untilReady()).containsExactly("Z");
    }

    @Test
    void anErrorSkipsEverythingUpToSync() throws IOException {
        client.send(parse("nonsense"), parse("echo 1"), query("echo 1"), flush(), sync());
        assertThat(client.untilReady()).containsExactly("E 42601");
        assertThat(client.untilReady()).containsExactly("Z");
    }

    @Test
    void aCommandRunsOnceInAPortal() throws IOException {
        client.send(parse("set a = 1"), bind("", ""), execute(""), execute(""), sync());
        assertThat(client.untilReady()).containsExactly("1", "2", "C", "E 55000");
        assertThat(client.untilReady()).containsExactly("Z");
    }

    @Test
    void aPortalThatHasFailedDoesNotGoOn() throws IOException {
        inTransaction();
        client.send(ClientMessages.parse("s", "halfway"), bind("p", "s"), execute("p"), sync());
        assertThat(client.untilReady()).containsExactly("1", "2", "E XX000");
        assertThat(client.untilReady()).containsExactly("Z");
        client.send(execute("p"), sync());
        assertThat(client.untilReady()).containsExactly("E 55000");
        assertThat(client.untilReady()).containsExactly("Z");
    }

    /** An exception of the handler: while it prepares, runs, gives rows, or afterwards on the event loop. */
    @ParameterizedTest
    @ValueSource(strings = {"crash early", "crash", "halfway", "nothing"})
    void anExceptionOfTheHandlerIsAnsweredInBothProtocols(String sql) throws IOException {
        client.send(query("echo 1; " + sql + "; echo 2"));
        assertThat(client.untilReady()).containsSubsequence("T", "D", "C").endsWith("E XX000");
        assertThat(client.untilReady()).containsExactly("Z");
        client.send(parse(sql), bind("", ""), execute(""), sync());
        assertThat(client.untilReady()).endsWith("E XX000");
        assertThat(client.untilReady()).containsExactly("Z");
        client.send(query("echo 1"));
        assertThat(client.untilReady()).containsExactly("T", "D", "C", "Z");
    }

    @Test
    void aStatusThatCannotBeReadEndsTheSession() throws Exception {
        server.nextHandler().statusFails = true;
        client.send(query("echo 1"));
        assertThat(client.untilReady()).containsExactly("T", "D", "C", "E XX000");
        assertThat(client.untilReady()).containsExactly("end");
    }

    /** 1000 digits of 4, at the largest weight, are a number of 131072 digits. */
    @Test
    void aLongNumericIsReadQuicklyAndATooLongOneIsRefused() throws IOException {
        client.send(parseNumeric(), bindNumeric(0, 1_000, 32_767), execute(""), sync());
        assertThat(client.untilReady()).containsExactly("1", "2", "D", "C", "Z");
        client.send(parseNumeric(), bindNumeric(65_535, 1_000, 0), sync());
        assertThat(client.untilReady()).containsExactly("1", "E 22P03");
        assertThat(client.untilReady()).containsExactly("Z");
    }

    private static ByteBuf parseNumeric() {
        return ClientMessages.parse(
                "", "echo $1", Unpooled.buffer().writeShort(1).writeInt(PgType.NUMERIC.oid()));
    }

    /** A Bind with one numeric in binary format, of nothing but nines. */
    private static ByteBuf bindNumeric(int scale, int digits, int weight) {
        ByteBuf values = Unpooled.buffer().writeShort(1).writeShort(1).writeShort(1);
        values.writeInt(8 + 2 * digits)
                .writeShort(digits)
                .writeShort(weight)
                .writeShort(0)
                .writeShort(scale);
        for (int i = 0; i < digits; i++) {
            values.writeShort(9_999);
        }
        values.writeShort(0);
        return bind("", "", ByteBufUtil.getBytes(values));
    }
}
