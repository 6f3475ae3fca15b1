package dev.headgate.server.demo;

import dev.headgate.lab.Mix;
import dev.headgate.lab.script.Script;
import dev.headgate.lab.script.ScriptException;
import dev.headgate.server.demo.WorkloadPutRequest.WorkloadTransactionRequest;
import dev.headgate.server.problems.Fault;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Reads the transactions of a user's load. */
final class ScriptReader {

    private ScriptReader() {}

    /** @param faults receives every fault; the mix is of use only without any */
    static Mix read(WorkloadPutRequest request, List<Fault> faults) {
        Map<String, Object> constants = constants(request);
        Mix.Builder mix = Mix.builder();
        boolean drawn = false;
        for (int i = 0; i < request.transactions().size(); i++) {
            WorkloadTransactionRequest each = request.transactions().get(i);
            int weight = Objects.requireNonNullElse(each.weight(), 1);
            String pointer = "/transactions/" + i;
            int before = faults.size();
            Script script = script(each, constants, pointer, faults);
            if (script != null && weight > 0 && faults.size() == before) {
                mix.add(each.name(), weight, script);
            }
            drawn |= weight > 0;
        }
        if (!drawn) {
            faults.add(Fault.at("/transactions", "has no transaction with a weight above 0"));
        }
        return mix.build();
    }

    /** Whole numbers stay whole: they are bounds of ranges. */
    private static Map<String, Object> constants(WorkloadPutRequest request) {
        Map<String, Object> constants = new HashMap<>(Map.of("scale", 1L));
        Objects.requireNonNullElse(request.variables(), Map.<String, Double>of())
                .forEach((name, value) ->
                        constants.put(name, value == Math.rint(value) ? (Object) value.longValue() : value));
        return constants;
    }

    private static @Nullable Script script(
            WorkloadTransactionRequest request, Map<String, Object> constants, String pointer, List<Fault> faults) {
        if ((request.script() == null) == (request.statements() == null)) {
            faults.add(Fault.at(pointer, "needs either statements or a script", "one of them"));
            return null;
        }
        if (request.script() != null) {
            if (request.parameters() != null) {
                faults.add(Fault.at(pointer + "/parameters", "stand beside a script", "\\set in the script"));
            }
            if (request.thinkMs() != null) {
                faults.add(Fault.at(pointer + "/thinkMs", "stands beside a script", "\\sleep in the script"));
            }
            try {
                return Script.ofPgbench(request.script(), constants);
            } catch (ScriptException e) {
                faults.add(Fault.at(pointer + "/script", "in line " + e.line() + ": " + e.getMessage()));
                return null;
            }
        }
        try {
            return Script.ofStatements(
                    Objects.requireNonNullElse(request.parameters(), Map.of()),
                    Objects.requireNonNull(request.statements()),
                    Objects.requireNonNullElse(request.thinkMs(), 0.0),
                    constants);
        } catch (ScriptException e) {
            faults.add(Fault.at(
                    pointer + (e.line() == 0 ? "/parameters" : "/statements/" + (e.line() - 1)),
                    String.valueOf(e.getMessage())));
            return null;
        }
    }
}
