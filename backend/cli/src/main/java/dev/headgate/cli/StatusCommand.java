package dev.headgate.cli;

import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** What is running: the service, its databases, each domain's pool in one line, and the alarms. */
@Command(name = StatusCommand.NAME, exitCodeOnInvalidInput = 2)
final class StatusCommand implements Callable<Integer> {

    static final String NAME = "status";

    private final Surroundings surroundings;
    private final JsonMapper json = JsonMapper.builder().build();

    @Mixin
    private ServiceOptions options;

    StatusCommand(Surroundings surroundings) {
        this.surroundings = surroundings;
        this.options = new ServiceOptions(surroundings);
    }

    @Override
    public Integer call() {
        Service service = options.service();
        JsonNode session = read(service, "/session");
        JsonNode databases = read(service, "/databases").path("items");
        JsonNode domains = read(service, "/domains").path("items");
        surroundings.out().print(StatusPage.of(service.address(), session, databases, domains));
        return 0;
    }

    private JsonNode read(Service service, String path) {
        try {
            return json.readTree(service.get(path).body());
        } catch (JacksonException e) {
            throw CommandFailed.tried(
                    service.address() + " does not answer as Headgate does: no JSON at /api/v1" + path);
        }
    }
}
