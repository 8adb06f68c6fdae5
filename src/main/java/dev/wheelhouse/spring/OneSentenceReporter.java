package dev.wheelhouse.spring;

import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.diagnostics.FailureAnalysisReporter;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;

/** Reports a start that failed as one sentence on standard error, in the place of Spring Boot's page. */
@Order(Ordered.HIGHEST_PRECEDENCE)
final class OneSentenceReporter implements FailureAnalysisReporter {
    @Override
    public void report(FailureAnalysis analysis) {
        String action = analysis.getAction() == null ? "" : " " + Sentences.oneLine(analysis.getAction());
        System.err.println((Sentences.PREFIX + Sentences.oneLine(analysis.getDescription()) + action).strip());
    }
}
