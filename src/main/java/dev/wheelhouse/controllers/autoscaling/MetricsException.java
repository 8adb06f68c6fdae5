package dev.wheelhouse.controllers.autoscaling;

/** The replicas that a metric asks for cannot be computed. The message is upstream's; conditions and Events show it. */
final class MetricsException extends RuntimeException {
    MetricsException(String message) {
        super(message);
    }

    @Override
    public String getMessage() {
        return String.valueOf(super.getMessage());
    }
}
