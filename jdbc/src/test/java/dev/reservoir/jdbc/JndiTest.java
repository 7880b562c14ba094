package dev.reservoir.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.reservoir.core.spi.Listener;
import dev.reservoir.jdbc.config.DataSourceSettings;
import dev.reservoir.jdbc.config.Setting;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import javax.naming.NamingException;
import javax.naming.RefAddr;
import javax.naming.Reference;
import javax.naming.StringRefAddr;
import javax.naming.spi.NamingManager;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Data sources in JNDI. */
class JndiTest {
    private final ReservoirDataSourceFactory factory = new ReservoirDataSourceFactory();

    private static Reference reference(String... keysAndValues) {
        Reference reference = new Reference("javax.sql.DataSource", ReservoirDataSourceFactory.class.getName(), null);
        for (int i = 0; i < keysAndValues.length; i += 2) {
            reference.add(new StringRefAddr(keysAndValues[i], keysAndValues[i + 1]));
        }
        return reference;
    }

    private ReservoirDataSource lookUp(Reference reference) throws Exception {
        return (ReservoirDataSource) NamingManager.getObjectInstance(reference, null, null, null);
    }

    @Test
    void aReferenceIsMadeIntoADataSourceThatStartsWhenItIsUsed() throws Exception {
        FakeDatabase database = FakeDatabase.FakeDriver.database("jndi");
        ReservoirDataSource dataSource = lookUp(reference(
                "url", "jdbc:fake:jndi",
                "driverClassName", FakeDatabase.FakeDriver.class.getName(),
                "maxOpen", "3",
                "baseLifetime", "12m",
                "driver.ApplicationName", "orders",
                "auth", "Container",
                "scope", "Shareable",
                "singleton", "true"));

        assertThat(dataSource.isRunning()).isFalse();
        assertThat(dataSource.getMaxOpen()).isEqualTo(3);
        assertThat(dataSource.getBaseLifetime()).isEqualTo("12m0s");
        dataSource.getConnection().close();
        assertThat(database.logins.get(0)).containsEntry("ApplicationName", "orders");
        dataSource.close();
    }

    @Test
    void theSameNamedReferenceGivesTheSameDataSourceUntilItIsClosed() throws Exception {
        Reference reference = reference("name", "looked-up", "url", "jdbc:fake:x");
        ReservoirDataSource first = lookUp(reference);

        assertThat(lookUp(reference)).isSameAs(first);
        assertThat(lookUp(reference("name", "looked-up", "url", "jdbc:fake:y"))).isNotSameAs(first);
        first.close();
        assertThat(lookUp(reference)).isNotSameAs(first);
    }

    @Test
    void referencesWithoutANameGiveDataSourcesOfTheirOwn() throws Exception {
        Reference reference = reference("url", "jdbc:fake:x");

        assertThat(lookUp(reference)).isNotSameAs(lookUp(reference));
    }

    @Test
    void anUnknownKeyIsRefused() {
        assertThatThrownBy(() -> lookUp(reference("maxOpn", "3")))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("maxOpn is not a setting; the nearest that is: maxOpen");
    }

    @Test
    void otherReferencesAreLeftToOthers() {
        assertThat(factory.getObjectInstance(new Reference("java.lang.String"), null, null, null))
                .isNull();
        assertThat(factory.getObjectInstance("no reference", null, null, null)).isNull();
        assertThat(factory.getObjectInstance(null, null, null, null)).isNull();
    }

    @Test
    void aDataSourceBecomesAReferenceAndADataSourceAgain() throws Exception {
        ReservoirDataSource before = new ReservoirDataSource();
        before.setName("round-trip");
        before.setUrl("jdbc:fake:round?password=in-the-url");
        before.setPassword("hunter2");
        before.setMaxOpen(7);
        before.setConnectionRateLimit(12.5);
        before.setValidation(Validation.IDLE);
        before.setGuardWindow("1m30s");
        before.addDriverProperty("sslpassword", "in-a-property");

        Reference reference = copied(before.getReference());
        ReservoirDataSource after = lookUp(reference);

        for (Setting<?> setting : DataSourceSettings.all()) {
            assertThat(setting.text(after.config)).as(setting.key()).isEqualTo(setting.text(before.config));
        }
        assertThat(after.config.driverProperties()).isEqualTo(before.config.driverProperties());
        assertThat(reference.get("targetReady")).as("a default").isNull();
        assertThat(reference.toString()).doesNotContain("hunter2", "in-the-url", "in-a-property");
        for (RefAddr address : java.util.Collections.list(reference.getAll())) {
            assertThat(address.toString()).doesNotContain("hunter2", "in-the-url", "in-a-property");
        }
        after.close();
    }

    @Test
    void aValueThatEqualsADefaultIsKeptIfThatDefaultDependsOnAnotherSetting() throws Exception {
        ReservoirDataSource before = new ReservoirDataSource();
        before.setName("dependent");
        before.setUrl("jdbc:fake:dependent");
        before.setMaxOpen(50);
        before.setTargetReady(10);
        before.setLowWatermark(10);
        before.setConnectionRateLimit(Double.POSITIVE_INFINITY);
        before.setConnectionBurstLimit(3);

        ReservoirDataSource after = lookUp(copied(before.getReference()));

        assertThat(after.getTargetReady()).isEqualTo(10);
        assertThat(after.getLowWatermark()).isEqualTo(10);
        after.config.check();
        after.close();
    }

    private static Reference copied(Reference reference) throws Exception {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (ObjectOutputStream out = new ObjectOutputStream(bytes)) {
            out.writeObject(reference);
        }
        try (ObjectInputStream in = new ObjectInputStream(new ByteArrayInputStream(bytes.toByteArray()))) {
            return (Reference) in.readObject();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"referenced", ""})
    void theReferenceOfARunningOneGivesThatOne(String name) throws Exception {
        FakeDatabase.FakeDriver.database("referenced");
        ReservoirDataSource running = new ReservoirDataSource();
        if (!name.isEmpty()) {
            running.setName(name);
        }
        running.setDriverClassName(FakeDatabase.FakeDriver.class.getName());
        running.setUrl("jdbc:fake:referenced");
        running.start();

        ReservoirDataSource found = lookUp(copied(running.getReference()));

        assertThat(found).isSameAs(running);
        found.getConnection().close();
        Reference reference = running.getReference();
        running.close();
        ReservoirDataSource next = lookUp(reference);
        assertThat(next).isNotSameAs(running);
        next.getConnection().close();
        next.close();
    }

    private static ReservoirDataSource startable(String name) {
        FakeDatabase.FakeDriver.database("startable");
        ReservoirDataSource dataSource = new ReservoirDataSource();
        dataSource.setName(name);
        dataSource.setDriverClassName(FakeDatabase.FakeDriver.class.getName());
        dataSource.setUrl("jdbc:fake:startable");
        dataSource.setBaseLifetime("12m");
        dataSource.setMaxOpen(2);
        return dataSource;
    }

    private static Reference handwritten(String name, String lifetime) {
        return reference(
                "name",
                name,
                "url",
                "jdbc:fake:startable",
                "driverClassName",
                FakeDatabase.FakeDriver.class.getName(),
                "baseLifetime",
                lifetime);
    }

    @Test
    void aReferenceTakenBeforeTheStartGivesTheOneThatRunsSince() throws Exception {
        try (ReservoirDataSource dataSource = startable("started-since")) {
            Reference before = copied(dataSource.getReference());
            ReservoirDataSource early = lookUp(before);
            assertThat(early).as("before the start").isNotSameAs(dataSource);

            dataSource.start();

            assertThat(lookUp(before)).isSameAs(dataSource);
            early.getConnection().close();
            assertThat(early.getName()).isEqualTo("started-since-2");
            assertThat(lookUp(before)).as("with both running").isSameAs(dataSource);
            early.close();
        }
    }

    @Test
    void aReferenceWrittenByHandGivesTheRunningOneHoweverItsSettingsAreWritten() throws Exception {
        try (ReservoirDataSource dataSource = startable("written-by-hand")) {
            dataSource.start();

            assertThat(lookUp(handwritten("written-by-hand", "720s"))).isSameAs(dataSource);
            assertThat(lookUp(handwritten("written-by-hand", "PT12M"))).isSameAs(dataSource);
        }
    }

    @Test
    void targetsThatWereChangedMeanwhileStayAndDoNotMakeAnother() throws Exception {
        try (ReservoirDataSource dataSource = startable("changed-since")) {
            Reference before = dataSource.getReference();
            dataSource.start();
            dataSource.setMaxOpen(5);

            assertThat(lookUp(before)).isSameAs(dataSource);
            assertThat(lookUp(dataSource.getReference())).isSameAs(dataSource);
            assertThat(dataSource.getMaxOpen()).isEqualTo(5);
        }
    }

    @Test
    void aReferenceWithTheNameOfARunningOneAndOtherSettingsGivesOneThatStartsWithANumber() throws Exception {
        try (ReservoirDataSource dataSource = startable("taken")) {
            dataSource.start();
            Reference reference = handwritten("taken", "13m");
            try (ReservoirDataSource other = lookUp(reference)) {
                other.getConnection().close();

                assertThat(other).isNotSameAs(dataSource);
                assertThat(other.getName()).isEqualTo("taken-2");
                assertThat(lookUp(reference)).as("by the name that was set").isSameAs(other);
                assertThat(lookUp(other.getReference())).as("its own reference").isSameAs(other);
            }
        }
    }

    @Test
    void aRunningOneWithSettingsThatAreNoTextIsNotTakenForTheSame() throws Exception {
        try (ReservoirDataSource dataSource = startable("with-listener")) {
            Reference before = dataSource.getReference();
            dataSource.addListener(new Listener<>() {});
            dataSource.start();

            assertThat(lookUp(before)).isNotSameAs(dataSource);
        }
    }

    @Test
    void whatIsNoTextCannotBeReferenced() {
        try (ReservoirDataSource dataSource =
                ReservoirDataSource.builder().dataSource(new FakeDatabase()).build()) {
            assertThatThrownBy(dataSource::getReference)
                    .isInstanceOf(NamingException.class)
                    .hasMessageContaining("only if all its settings are text");
        }
    }
}
