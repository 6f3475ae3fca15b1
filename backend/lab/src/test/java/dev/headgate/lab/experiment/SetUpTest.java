package dev.headgate.lab.experiment;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headgate.lab.pools.Pools;
import org.junit.jupiter.api.Test;

/** What is said of the machine and the libraries that figures come from. */
class SetUpTest {

    @Test
    void aVersionIsReadFromTheNameOfAJar() {
        assertThat(Jar.version("file:/m2/HikariCP/7.1.0/HikariCP-7.1.0.jar")).contains("7.1.0");
        assertThat(Jar.version("nested:/opt/headgate-0.1.0.jar/!BOOT-INF/lib/tomcat-jdbc-11.0.24.jar!/"))
                .contains("11.0.24");
        assertThat(Jar.version("file:/checkout/backend/lab/target/classes/")).isEmpty();
        assertThat(Jar.version(String.class)).isEmpty();
    }

    @Test
    void everyExperimentNamesItsDriverAndPoolAndPoolsNamesTomcatsToo() {
        for (Experiment each : Experiments.all()) {
            assertThat(each.versions()).as(each.name()).containsKeys("pgjdbc", "HikariCP");
            assertThat(each.versions().values()).allMatch(version -> version.matches("\\d+\\.\\d+.*"));
        }
        assertThat(new Pools().versions().keySet()).containsExactly("pgjdbc", "HikariCP", "Tomcat jdbc-pool");
    }

    @Test
    void theMachineIsDescribed() {
        assertThat(Machine.processor()).isNotBlank();
        assertThat(Machine.describe()).contains(Machine.processor());
        Machine.loadAverage().ifPresent(load -> assertThat(load).isNotNegative());
    }
}
