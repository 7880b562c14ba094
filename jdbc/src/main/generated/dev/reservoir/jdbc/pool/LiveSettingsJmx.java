// Generated from DataSourceSettings by GeneratedSettingsTest, which says how to do so again. Not to be edited.
package dev.reservoir.jdbc.pool;

import dev.reservoir.core.SettingException;
import dev.reservoir.jdbc.LiveSettings;
import dev.reservoir.jdbc.ReservoirDataSource;
import java.util.function.Supplier;

/** Shows and changes settings of a running data source. Never checks a value itself. */
abstract class LiveSettingsJmx implements LiveSettings {
    final ReservoirDataSource dataSource;

    LiveSettingsJmx(ReservoirDataSource dataSource) {
        this.dataSource = dataSource;
    }

    /** Makes a change. An error is of a class of the JDK, because a client has no others. */
    static void change(Runnable change) {
        read(() -> {
            change.run();
            return true;
        });
    }

    /** Reads something. An error is of a class of the JDK. */
    static <R> R read(Supplier<R> reader) {
        try {
            return reader.get();
        } catch (SettingException e) {
            throw new IllegalArgumentException(e.getMessage());
        }
    }

    @Override
    public int getMaxOpen() {
        return dataSource.getMaxOpen();
    }

    @Override
    public void setMaxOpen(int value) {
        change(() -> dataSource.setMaxOpen(value));
    }

    @Override
    public int getTargetReady() {
        return dataSource.getTargetReady();
    }

    @Override
    public void setTargetReady(int value) {
        change(() -> dataSource.setTargetReady(value));
    }

    @Override
    public int getLowWatermark() {
        return dataSource.getLowWatermark();
    }

    @Override
    public void setLowWatermark(int value) {
        change(() -> dataSource.setLowWatermark(value));
    }

    @Override
    public int getMinOpen() {
        return dataSource.getMinOpen();
    }

    @Override
    public void setMinOpen(int value) {
        change(() -> dataSource.setMinOpen(value));
    }

    @Override
    public String getIdleTimeout() {
        return dataSource.getIdleTimeout();
    }

    @Override
    public void setIdleTimeout(String value) {
        change(() -> dataSource.setIdleTimeout(value));
    }

    @Override
    public String getBaseLifetime() {
        return dataSource.getBaseLifetime();
    }

    @Override
    public void setBaseLifetime(String value) {
        change(() -> dataSource.setBaseLifetime(value));
    }

    @Override
    public String getLifetimeJitter() {
        return dataSource.getLifetimeJitter();
    }

    @Override
    public void setLifetimeJitter(String value) {
        change(() -> dataSource.setLifetimeJitter(value));
    }

    @Override
    public String getGuardWindow() {
        return dataSource.getGuardWindow();
    }

    @Override
    public void setGuardWindow(String value) {
        change(() -> dataSource.setGuardWindow(value));
    }

    @Override
    public String getConnectTimeout() {
        return dataSource.getConnectTimeout();
    }

    @Override
    public void setConnectTimeout(String value) {
        change(() -> dataSource.setConnectTimeout(value));
    }

    @Override
    public String getAcquireTimeout() {
        return dataSource.getAcquireTimeout();
    }

    @Override
    public void setAcquireTimeout(String value) {
        change(() -> dataSource.setAcquireTimeout(value));
    }

    @Override
    public String getKeepalive() {
        return dataSource.getKeepalive();
    }

    @Override
    public void setKeepalive(String value) {
        change(() -> dataSource.setKeepalive(value));
    }

    @Override
    public String getValidationTimeout() {
        return dataSource.getValidationTimeout();
    }

    @Override
    public void setValidationTimeout(String value) {
        change(() -> dataSource.setValidationTimeout(value));
    }
}
