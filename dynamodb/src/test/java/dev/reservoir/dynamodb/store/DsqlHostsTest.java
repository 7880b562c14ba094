package dev.reservoir.dynamodb.store;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class DsqlHostsTest {
    private static final String ID = "abcdefghijklmnopqrstuvwxyz";
    private static final String PUBLIC = ID + ".dsql.eu-west-1.on.aws";

    @ParameterizedTest
    @ValueSource(
            strings = {
                ID + ".dsql.eu-west-1.on.aws",
                ID + ".dsql-fnh4.eu-west-1.on.aws",
                ID + ".dsql-0a1b2c.eu-west-1.on.aws:5432",
                " ABCDEFGHIJKLMNOPQRSTUVWXYZ.DSQL-FNH4.EU-WEST-1.ON.AWS. "
            })
    void allNamesOfAClusterMeanTheSame(String endpoint) {
        assertThat(DsqlHosts.clusterOf(endpoint)).isEqualTo(PUBLIC);
        assertThat(DsqlHosts.regionOf(endpoint)).isEqualTo("eu-west-1");
    }

    @Test
    void otherClustersAndRegionsAreOthers() {
        assertThat(DsqlHosts.clusterOf(ID + ".dsql-fnh4.us-east-1.on.aws")).isNotEqualTo(PUBLIC);
        assertThat(DsqlHosts.clusterOf("zzz" + ID.substring(3) + ".dsql-fnh4.eu-west-1.on.aws"))
                .isNotEqualTo(PUBLIC);
    }

    @ParameterizedTest
    @ValueSource(strings = {"db.example.com", "localhost:5432", "", "vpce-1.dsql-fnh4.eu-west-1.vpce.amazonaws.com"})
    void otherHostsTellNoCluster(String endpoint) {
        assertThat(DsqlHosts.clusterOf(endpoint)).isNull();
        assertThat(DsqlHosts.regionOf(endpoint)).isNull();
    }
}
