import SystemCalls

/// A package: a stream that is downloaded into a folder.
package struct PackageRow: Sendable, Equatable {
    /// The transfer.
    package var task: Int64
    /// The parts of the stream, encoded by the caller.
    package var preferences: [UInt8]
    /// The folder; nil before it was created. A different folder with its name is not used.
    package var folder: FileIdentity?

    /// Creates the row of a package without a folder.
    package init(task: Int64, preferences: [UInt8]) { (self.task, self.preferences) = (task, preferences) }
}

/// A resource of a package: a file of its folder.
package struct ResourceRow: Sendable, Equatable {
    /// What is done for a resource. The resources of a lower kind come first.
    package enum Kind: Int64, Sendable, CaseIterable {
        /// A playlist of the server is downloaded, or the playlist of the copy is made from the one downloaded before.
        /// The former have even numbers, the latter the odd number that follows.
        case playlist = 0
        /// A segment, an initialization section or a key is downloaded.
        case media = 1
    }

    /// The package, and the number of the resource in it.
    package var task: Int64, number: Int64
    /// What is done.
    package var kind: Kind
    /// The number of the plan that has found the resource.
    package var plan: Int64 = -1
    /// The address of the resource; for the playlist of the copy, the address from which the original came.
    package var url: String
    /// The name in the folder.
    package var name: String
    /// The time in the stream at which the resource is needed, and the duration that it adds to the progress, in
    /// nanoseconds.
    package var start: Int64 = 0, duration: Int64 = 0

    /// Creates a row.
    package init(task: Int64, number: Int64, kind: Kind, url: String, name: String) {
        (self.task, self.number, self.kind, self.url, self.name) = (task, number, kind, url, name)
    }

    /// Whether the resource is made by a plan and not requested from a server.
    package var isPlan: Bool { kind == .playlist && number % 2 == 1 }
}

/// The sums over the resources of a package.
package struct ResourceSums: Sendable, Equatable {
    /// The number of resources, and of those that have arrived.
    package var count: Int64 = 0, finishedCount: Int64 = 0
    /// The duration of the stream, and of the segments that have arrived, in nanoseconds.
    package var duration: Int64 = 0, finishedDuration: Int64 = 0
    /// The bytes of the resources that have arrived.
    package var bytes: Int64 = 0
    package init() {}
}
