package dev.reservoir.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reservoir.jdbc.ReservoirDataSource;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.autoconfigure.jdbc.AutoConfigureTestDatabase;
import org.springframework.boot.test.autoconfigure.jdbc.JdbcTest;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.test.context.ContextConfiguration;

/** A test slice uses a reservoir, as the application does. */
@JdbcTest
@AutoConfigureTestDatabase(replace = AutoConfigureTestDatabase.Replace.NONE)
@ContextConfiguration(classes = SliceApplication.class, initializers = TestDatabase.Initializer.class)
class JdbcSliceTest {
    @Autowired
    private DataSource dataSource;

    @Autowired
    private JdbcTemplate jdbc;

    @Test
    void theSliceHasAReservoir() throws Exception {
        assertThat(dataSource.isWrapperFor(ReservoirDataSource.class)).isTrue();
        assertThat(jdbc.queryForObject("select current_user", String.class)).isEqualTo(TestDatabase.USER);
    }
}
