package dev.headgate.lab.experiment;

import java.util.List;
import java.util.stream.Stream;

/**
 * What a run found.
 *
 * @param findings in words, the most important one first
 * @param charts as the paper's figures, drawn from this run's own data
 * @param tables figures in rows
 * @param measures single figures with their samples, by which two runs are compared; their names are unique
 * @param notes what a reader must know to judge the figures: "the generator was the bottleneck above 12 connections"
 */
public record Report(
        List<Finding> findings, List<Chart> charts, List<Table> tables, List<Measure> measures, List<String> notes) {

    public Report {
        findings = List.copyOf(findings);
        charts = List.copyOf(charts);
        tables = List.copyOf(tables);
        measures = List.copyOf(measures);
        notes = List.copyOf(notes);
    }

    /** The same, with one note more. */
    public Report noting(String note) {
        return new Report(
                findings,
                charts,
                tables,
                measures,
                Stream.concat(notes.stream(), Stream.of(note)).toList());
    }
}
