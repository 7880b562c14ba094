package dev.reservoir.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reservoir.jdbc.ReservoirDataSource;
import javax.sql.DataSource;
import org.jooq.DSLContext;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.jooq.test.autoconfigure.JooqTest;
import org.springframework.test.context.ContextConfiguration;

/** A test slice uses a reservoir, as the application does. */
@JooqTest
@ContextConfiguration(classes = SliceApplication.class, initializers = TestDatabase.Initializer.class)
class JooqSliceTest {
    @Autowired
    private DataSource dataSource;

    @Autowired
    private DSLContext jooq;

    @Test
    void theSliceHasAReservoir() throws Exception {
        assertThat(dataSource.isWrapperFor(ReservoirDataSource.class)).isTrue();
        assertThat(jooq.fetchValue("select current_user")).isEqualTo(TestDatabase.USER);
    }
}
