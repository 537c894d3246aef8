struct BusFailure: Error { let reason: String }
