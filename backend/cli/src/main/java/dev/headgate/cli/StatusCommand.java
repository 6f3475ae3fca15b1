package dev.headgate.cli;

import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import tools.jackson.databind.JsonNode;

/** Prints the service, its databases, one line for each domain's pool, and the alarms. */
@Command(name = StatusCommand.NAME, exitCodeOnInvalidInput = 2)
final class StatusCommand implements Callable<Integer> {

    static final String NAME = "status";

    private final Surroundings surroundings;

    @Mixin
    private ServiceOptions options;

    StatusCommand(Surroundings surroundings) {
        this.surroundings = surroundings;
        this.options = new ServiceOptions(surroundings);
    }

    @Override
    public Integer call() {
        Service service = options.service();
        JsonNode session = service.getJson("/session");
        JsonNode memory = service.getJson("/memory");
        List<JsonNode> databases = service.getItems("/databases");
        List<JsonNode> domains = service.getItems("/domains");
        surroundings.out().print(StatusPage.of(service.address(), session, memory, databases, domains));
        return 0;
    }
}
