package dev.headgate.server.wire;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ProcessorQuotaTest {

    @TempDir
    private Path folder;

    private boolean limits(String membership) throws IOException {
        Files.writeString(folder.resolve("cgroup"), membership);
        return new ProcessorQuota(folder.resolve("groups"), folder.resolve("cgroup")).limits();
    }

    private void max(String group, String content) throws IOException {
        Path at = Files.createDirectories(folder.resolve("groups").resolve(group));
        Files.writeString(at.resolve("cpu.max"), content);
    }

    @Test
    void aContainersOwnGroupIsTheRootThatItSees() throws IOException {
        max("", "200000 100000\n");
        assertThat(limits("0::/\n")).isTrue();
        max("", "max 100000\n");
        assertThat(limits("0::/\n")).isFalse();
    }

    @Test
    void aLimitOfAGroupIsOneOfAllWithinIt() throws IOException {
        max("system.slice", "50000 100000\n");
        max("system.slice/headgate.service", "max 100000\n");
        max("other.slice", "50000 100000\n");
        assertThat(limits("0::/system.slice/headgate.service\n")).isTrue();
        assertThat(limits("0::/user.slice\n")).isFalse();
    }

    @Test
    void aSystemWithoutSuchGroupsLimitsNothing() throws IOException {
        assertThat(limits("12:cpu,cpuacct:/docker/1\n")).isFalse();
        assertThat(new ProcessorQuota(folder.resolve("groups"), folder.resolve("none")).limits())
                .isFalse();
    }
}
