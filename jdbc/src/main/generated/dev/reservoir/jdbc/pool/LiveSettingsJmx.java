// Generated from DataSourceSettings by GeneratedSettingsTest, which says how to do so again. Not to be edited.
package dev.reservoir.jdbc.pool;

import dev.reservoir.jdbc.LiveSettings;
import dev.reservoir.jdbc.ReservoirDataSource;

/** Shows and changes settings of a running data source. Never checks a value itself. */
abstract class LiveSettingsJmx implements LiveSettings {
    final ReservoirDataSource dataSource;

    LiveSettingsJmx(ReservoirDataSource dataSource) {
        this.dataSource = dataSource;
    }

    @Override
    public int getMaxOpen() {
        return dataSource.getMaxOpen();
    }

    @Override
    public void setMaxOpen(int value) {
        dataSource.setMaxOpen(value);
    }

    @Override
    public int getTargetReady() {
        return dataSource.getTargetReady();
    }

    @Override
    public void setTargetReady(int value) {
        dataSource.setTargetReady(value);
    }

    @Override
    public int getLowWatermark() {
        return dataSource.getLowWatermark();
    }

    @Override
    public void setLowWatermark(int value) {
        dataSource.setLowWatermark(value);
    }

    @Override
    public int getMinOpen() {
        return dataSource.getMinOpen();
    }

    @Override
    public void setMinOpen(int value) {
        dataSource.setMinOpen(value);
    }

    @Override
    public String getIdleTimeout() {
        return dataSource.getIdleTimeout();
    }

    @Override
    public void setIdleTimeout(String value) {
        dataSource.setIdleTimeout(value);
    }

    @Override
    public String getBaseLifetime() {
        return dataSource.getBaseLifetime();
    }

    @Override
    public void setBaseLifetime(String value) {
        dataSource.setBaseLifetime(value);
    }

    @Override
    public String getLifetimeJitter() {
        return dataSource.getLifetimeJitter();
    }

    @Override
    public void setLifetimeJitter(String value) {
        dataSource.setLifetimeJitter(value);
    }

    @Override
    public String getGuardWindow() {
        return dataSource.getGuardWindow();
    }

    @Override
    public void setGuardWindow(String value) {
        dataSource.setGuardWindow(value);
    }

    @Override
    public String getConnectTimeout() {
        return dataSource.getConnectTimeout();
    }

    @Override
    public void setConnectTimeout(String value) {
        dataSource.setConnectTimeout(value);
    }

    @Override
    public String getAcquireTimeout() {
        return dataSource.getAcquireTimeout();
    }

    @Override
    public void setAcquireTimeout(String value) {
        dataSource.setAcquireTimeout(value);
    }

    @Override
    public String getKeepalive() {
        return dataSource.getKeepalive();
    }

    @Override
    public void setKeepalive(String value) {
        dataSource.setKeepalive(value);
    }

    @Override
    public String getValidationTimeout() {
        return dataSource.getValidationTimeout();
    }

    @Override
    public void setValidationTimeout(String value) {
        dataSource.setValidationTimeout(value);
    }
}
