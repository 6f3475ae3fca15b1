package dev.headgate.server.databases;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.headgate.server.Service;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The store was restored, and the key of its passwords was not in the backup. */
@Timeout(300)
class LostKeyTest {

    @TempDir
    Path data;

    @Test
    void aDatabaseCanBeGivenItsPasswordAgainAndItsOldOneIsKeptUntilThen() throws Exception {
        Path key = data.resolve("secret.key");
        byte[] former;
        try (Service service = Service.start(data)) {
            service.post("/databases", service.databaseBody("main", 10)).expect(201);
            service.post("/domains", "{\"name\": \"bank\", \"database\": \"main\"}")
                    .expect(201);
            former = Files.readAllBytes(key);
        }
        Files.delete(key);

        try (Service service = Service.startAsItIs(data)) {
            await().atMost(Service.PATIENCE).until(() -> !isReachable(service));
            service.patch("/databases/main", "{\"budget\": 11}").expect(200);
        }
        Files.write(key, former);

        try (Service service = Service.startAsItIs(data)) {
            await().atMost(Service.PATIENCE).until(() -> isReachable(service));
        }
        Files.delete(key);

        try (Service service = Service.startAsItIs(data)) {
            String password = "{\"password\": \"%s\"}".formatted(Service.TARGET_PASSWORD);
            service.patch("/databases/main", password).expect(200);
            assertThat(isReachable(service)).isTrue();
        }
        try (Service service = Service.startAsItIs(data)) {
            await().atMost(Service.PATIENCE).until(() -> isReachable(service));
        }
    }

    private static boolean isReachable(Service service) {
        return service.get("/databases/main")
                .expect(200)
                .json()
                .get("reachable")
                .asBoolean();
    }
}
