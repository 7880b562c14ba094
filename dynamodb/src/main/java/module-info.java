/** The cluster budget on DynamoDB. */
// The jars of the AWS SDK have automatic module names and no module descriptors.
@SuppressWarnings("requires-automatic")
module dev.reservoir.dynamodb {
    requires static org.jspecify;
    requires transitive dev.reservoir.cluster;
    requires java.management;
    requires org.slf4j;
    requires software.amazon.awssdk.services.dynamodb;
    requires software.amazon.awssdk.auth;
    requires software.amazon.awssdk.awscore;
    requires software.amazon.awssdk.core;
    requires software.amazon.awssdk.http;
    requires software.amazon.awssdk.http.nio.netty;
    requires software.amazon.awssdk.regions;
    requires io.netty.transport;
    requires io.netty.common;

    exports dev.reservoir.dynamodb;

    provides dev.reservoir.core.spi.BudgetProvider with
            dev.reservoir.dynamodb.DynamoBudgetProvider;
}
