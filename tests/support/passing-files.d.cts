/** The directory for files that are gone when the tests end. */
declare const passingFiles: string;
export = passingFiles;
