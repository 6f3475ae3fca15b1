package dev.headgate.server;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class VersionTest {

    /** The API tells the version alone; the build follows it where builds are told apart. */
    @Test
    void theBuildFollowsTheVersion() {
        assertThat(Version.current()).matches("\\d+\\.\\d+\\.\\d+");
        assertThat(Version.withBuild()).matches("\\Q" + Version.current() + "\\E(\\+[0-9a-f]+(\\.[0-9a-f]+)?)?");
    }
}
