package dev.headgate.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.context.properties.bind.BindException;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.source.MapConfigurationPropertySource;

class HeadgatePropertiesTest {

    @Test
    void everyDefault() {
        assertThat(bind(Map.of()).toString())
                .isEqualTo(
                        "HeadgateProperties[data=.headgate, node=headgate-1, address=127.0.0.1, port=8080, demo=true,"
                                + " plugins=plugins, pluginUploads=PluginUploads[allowedSha256=[], memory=null], frontend=frontend/dist, files=null,"
                                + " wire=Wire[enabled=true, address=127.0.0.1, port=6432, tlsCertificate=null, tlsKey=null, tlsSelfSigned=false, loginTimeout=PT15S,"
                                + " idleTimeout=PT0S, transactionTimeout=PT5M, alwaysReset=false, showHolder=false, loops=null, busyPoll=null, mostArriving=1000, connectionsPerAddress=900, statements=10000], store=embedded,"
                                + " access=Access[allowedHosts=[], allowedOrigins=[], sessionLifetime=PT168H, trustedProxies=[]],"
                                + " history=History[decisionRetention=PT168H, decisionLimit=200000, seconds=PT24H, tens=PT72H, minutes=PT336H, tenMinutes=PT720H, connections=PT24H, most=1073741824B],"
                                + " alarms=Alarms[keep=PT2160H, limit=50000], annotations=Annotations[keep=PT8760H, limit=10000], audit=Audit[keep=PT9600H, limit=1000000], policies=Policies[revisions=1000],"
                                + " limits=Limits[memory=null, body=1048576B, longRequests=4, requestsPerSecond=500, connectionsPerAddress=1000, headersWithin=PT20S, bodyWithin=PT20S, databases=500, domains=2000, clients=10000, wireClients=20000], secrets=Secrets[folder=null, envPrefix=], sql=Sql[timeout=PT10M, silence=PT30S, whole=8388608B, row=16777216B, keptBytes=1073741824B, kept=PT1H, keys=PT24H, mostKeys=100000]]");
        assertThat(bind(Map.of()).store().connections()).isEqualTo(4);
    }

    @Test
    void thePasswordOfTheStoreIsNeverShown() {
        HeadgateProperties properties = bind(Map.of(
                "headgate.store.url", "jdbc:postgresql://db/control",
                "headgate.store.user", "headgate",
                "headgate.store.password", "hidden"));

        assertThat(properties.store().password()).isEqualTo("hidden");
        assertThat(properties.toString())
                .contains("jdbc:postgresql://db/control")
                .doesNotContain("hidden");
    }

    @ParameterizedTest
    @CsvSource({
        "limits.body,0B",
        "limits.body,-1B",
        "limits.long-requests,0",
        "limits.requests-per-second,0",
        "limits.connections-per-address,-1",
        "limits.headers-within,PT0S",
        "limits.body-within,PT-1S",
        "limits.databases,0",
        "limits.domains,0",
        "limits.clients,0",
        "limits.wire-clients,0",
        "sql.timeout,PT0S",
        "sql.silence,PT0S",
        "sql.whole,0B",
        "sql.row,0B",
        "sql.most-keys,0",
        "wire.login-timeout,PT0S",
        "store.connections,0",
        "access.session-lifetime,PT0S"
    })
    void aLimitThatServesNobodyIsRefusedAtTheStart(String setting, String value) {
        String[] name = setting.split("\\.");

        assertThatThrownBy(() -> bind(Map.of("headgate." + setting, value)))
                .isInstanceOfSatisfying(
                        BindException.class,
                        refused -> assertThat(refused.getName()).hasToString("headgate." + name[0]))
                .rootCause()
                .hasMessage(name[1] + " must be more than 0, was " + value + ".");
    }

    /** The deletion of what is beyond it failed for ever, and with it the writing of new ones. */
    @ParameterizedTest
    @ValueSource(strings = {"history.decision-limit", "alarms.limit", "annotations.limit", "audit.limit"})
    void aNumberOfWhatIsKeptIsNotNegative(String setting) {
        assertThatThrownBy(() -> bind(Map.of("headgate." + setting, "-1")))
                .rootCause()
                .hasMessage(setting.substring(setting.indexOf('.') + 1) + " must not be less than 0, was -1.");
    }

    /** Such a time was over before it began: every client of the wire port was ended at once, and all of the audit was deleted. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "wire.idle-timeout",
                "wire.transaction-timeout",
                "history.decision-retention",
                "history.seconds",
                "history.tens",
                "history.minutes",
                "history.ten-minutes",
                "history.connections",
                "alarms.keep",
                "annotations.keep",
                "audit.keep",
                "sql.kept",
                "sql.keys"
            })
    void aTimeIsNotNegative(String setting) {
        assertThatThrownBy(() -> bind(Map.of("headgate." + setting, "PT-1S")))
                .rootCause()
                .hasMessage(setting.substring(setting.indexOf('.') + 1) + " must not be less than 0, was PT-1S.");
    }

    private static HeadgateProperties bind(Map<String, String> settings) {
        return new Binder(new MapConfigurationPropertySource(settings))
                .bindOrCreate("headgate", HeadgateProperties.class);
    }
}
