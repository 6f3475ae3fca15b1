package dev.headgate.cli;

import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** Prints an address that opens one browser session of a running service. */
@Command(name = LoginCommand.NAME, exitCodeOnInvalidInput = 2)
final class LoginCommand implements Callable<Integer> {

    static final String NAME = "login";

    private final Surroundings surroundings;

    @Mixin
    private ServiceOptions options;

    LoginCommand(Surroundings surroundings) {
        this.surroundings = surroundings;
        this.options = new ServiceOptions(surroundings);
    }

    @Override
    public Integer call() {
        Service service = options.service();
        String code = service.postForJson("/session/codes").path("code").asString();
        surroundings.out().println(service.address() + "/?code=" + Service.encoded(code));
        return 0;
    }
}
