package dev.reservoir.jdbc.clients;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reservoir.jdbc.ReservoirDataSource;
import dev.reservoir.jdbc.TestPostgres;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.sql.Connection;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicInteger;
import org.aopalliance.intercept.MethodInterceptor;
import org.junit.jupiter.api.Test;
import org.springframework.aop.framework.ProxyFactory;

/** Proxies that are subclasses, as Spring makes them for scoped and advised beans. */
class ClassProxyTest {

    @Test
    void aCallThroughTheProxyReachesTheDataSource() throws Exception {
        AtomicInteger calls = new AtomicInteger();
        try (ReservoirDataSource target = new ReservoirDataSource()) {
            ReservoirDataSource proxy = proxied(target, calls);

            proxy.setName("proxied");
            proxy.setUrl(TestPostgres.url());
            proxy.setMaxOpen(1);
            proxy.start();
            try (Connection connection = proxy.getConnection()) {
                assertThat(connection.isValid(10)).isTrue();
                assertThat(target.stats().inUse()).isEqualTo(1);
                assertThat(proxy.stats().inUse()).isEqualTo(1);
            }

            assertThat(target.getName()).isEqualTo("proxied");
            assertThat(proxy.getName()).isEqualTo("proxied");
            assertThat(proxy.getMaxOpen()).isEqualTo(1);
            assertThat(proxy.isRunning()).isTrue();
            assertThat(proxy.isWrapperFor(ReservoirDataSource.class)).isTrue();
            assertThat(proxy).hasToString("ReservoirDataSource[proxied]");
            assertThat(calls).hasValueGreaterThan(8);
            proxy.close();
            assertThat(target.isClosed()).isTrue();
        }
    }

    private static ReservoirDataSource proxied(ReservoirDataSource target, AtomicInteger calls) {
        ProxyFactory factory = new ProxyFactory(target);
        factory.setProxyTargetClass(true);
        factory.addAdvice((MethodInterceptor) invocation -> {
            calls.incrementAndGet();
            return invocation.proceed();
        });
        ReservoirDataSource proxy = (ReservoirDataSource) factory.getProxy();
        assertThat(proxy.getClass()).isNotEqualTo(ReservoirDataSource.class);
        return proxy;
    }

    @Test
    void noMethodIsOutOfAProxysReach() {
        assertThat(Arrays.stream(ReservoirDataSource.class.getMethods())
                        .filter(method -> method.getDeclaringClass() != Object.class)
                        .filter(method -> Modifier.isFinal(method.getModifiers()))
                        .map(Method::toString))
                .isEmpty();
    }
}
