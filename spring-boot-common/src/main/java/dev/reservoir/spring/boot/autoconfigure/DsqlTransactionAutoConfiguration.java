package dev.reservoir.spring.boot.autoconfigure;

import dev.reservoir.dsql.spring.RetryingTransactionConfiguration;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.context.annotation.Import;

/** Runs methods with {@code @Transactional} again after a conflict, if a property asks for it. */
@AutoConfiguration
@ConditionalOnClass(RetryingTransactionConfiguration.class)
@ConditionalOnProperty(name = "spring.datasource.reservoir.dsql.retry-transactions", havingValue = "true")
@Import(RetryingTransactionConfiguration.class)
public class DsqlTransactionAutoConfiguration {

    /** Spring calls this constructor. */
    public DsqlTransactionAutoConfiguration() {}
}
