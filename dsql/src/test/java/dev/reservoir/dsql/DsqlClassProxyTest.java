package dev.reservoir.dsql;

import static org.assertj.core.api.Assertions.assertThat;

import java.sql.Connection;
import java.sql.SQLException;
import org.junit.jupiter.api.Test;
import org.springframework.aop.framework.ProxyFactory;

/** Proxies that are subclasses, as Spring makes them for scoped and advised beans. */
class DsqlClassProxyTest {

    @Test
    void aCallThroughTheProxyReachesTheDataSource() throws SQLException {
        try (TestCluster cluster = TestCluster.stub();
                DsqlDataSource target = cluster.builder().name("proxied").build()) {
            ProxyFactory factory = new ProxyFactory(target);
            factory.setProxyTargetClass(true);
            DsqlDataSource proxy = (DsqlDataSource) factory.getProxy();

            try (Connection connection = proxy.getConnection()) {
                assertThat(connection.isClosed()).isFalse();
            }
            assertThat(proxy.getClass()).isNotEqualTo(DsqlDataSource.class);
            assertThat(proxy.name()).isEqualTo("proxied");
            assertThat(proxy.getLoginTimeout()).isZero();
            proxy.close();
            assertThat(target.isClosed()).isTrue();
        }
    }
}
