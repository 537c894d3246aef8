import Glibc
import LedgerStore
import SystemCalls

/// The stored numbers of devices, which identify a file system only until the next start of the machine: file systems
/// without a disk of their own get them in the order in which they are mounted, and disks in the order in which they
/// are found.
enum StoredDevices {
    /// Stores the present numbers of the devices, after a start of the machine and before the record is used.
    ///
    /// A directory or file at its stored path is the same one if it has the stored inode number. The content of a part
    /// file is compared with its digest later.
    static func update(in ledger: Ledger) throws(DatabaseError) {
        try ledger.transaction { () throws(DatabaseError) in
            for client in try ledger.clients() {
                guard let file = try? FileDescriptor(opening: client.executable, flags: O_RDONLY | O_NONBLOCK),
                    let identity = try? file.identity(), identity.hasNewDevice(since: client.identity)
                else { continue }
                try ledger.saveExecutable(identity, of: client.id)
            }
            let delivered = TransferService.deliveredState
            for task in try ledger.tasks(notInState: delivered) + ledger.tasksWithFiles(inState: delivered) {
                try updateFiles(of: task, in: ledger)
            }
        }
    }

    /// Stores the present numbers of the devices that contain the directory, folder and part file of a transfer.
    private static func updateFiles(of task: TaskRow, in ledger: Ledger) throws(DatabaseError) {
        guard let directory = try? DirectoryDescriptor(opening: task.destination.directory),
            let identity = try? directory.identity(), identity.inode == task.destination.identity.inode
        else { return }
        if identity != task.destination.identity { try ledger.saveDirectory(identity, of: task.id) }
        var folder = directory, finalName = task.destination.name
        if let stored = try ledger.package(of: task.id)?.folder {
            guard let child = try? directory.openDirectory(finalName), let identity = try? child.identity(),
                identity.inode == stored.inode
            else { return }
            if identity != stored { try ledger.saveFolder(identity, of: task.id) }
            folder = child
            finalName = try ledger.nextResource(of: task.id)?.name ?? PackageFiles.master
        }
        guard var part = try ledger.part(of: task.id) else { return }
        for name in [part.name, finalName] {
            guard let file = try? folder.open(name, flags: O_RDONLY), let identity = try? file.identity(),
                identity.hasNewDevice(since: part.identity)
            else { continue }
            part.identity = identity
            try ledger.save(part)
        }
    }
}

extension FileIdentity {
    /// Whether only the number of the device differs from an earlier identity.
    fileprivate func hasNewDevice(since old: FileIdentity) -> Bool { inode == old.inode && device != old.device }
}
